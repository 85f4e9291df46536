package io.github.distlock.backend.zookeeper;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

import io.github.distlock.backend.StoreInspection;
import io.github.distlock.backend.StoredLock;
import io.github.distlock.backend.StoredLock.StoredHolder;
import io.github.distlock.backend.StoredLock.StoredWaiter;
import io.github.distlock.backend.zookeeper.NodeQueue.QueuedNode;
import io.github.distlock.backend.zookeeper.ZooKeeperSession.TicketNode;

/**
 * What ZooKeeper tells operators. The name of a ticket's node contains its instance, and
 * the transaction that created the node gives the first fencing token. Both come from the
 * leader. A holder that releases the lock between the list of the nodes and the reading
 * of its own is left out.
 */
final class ZooKeeperInspection implements StoreInspection {

	private final LockPaths paths;

	private final ZooKeeperConnection connection;

	ZooKeeperInspection(LockPaths paths, ZooKeeperConnection connection) {
		this.paths = paths;
		this.connection = connection;
	}

	@Override
	public StoredLock inspect(String key) {
		NodeQueue queue = queue(key);
		List<StoredHolder> holders = new ArrayList<>();
		queue.holders().forEach((node) -> holder(key, node).ifPresent(holders::add));
		return new StoredLock(key, holders,
				queue.nodes()
					.stream()
					.skip(queue.holders().size())
					.map((node) -> new StoredWaiter(node.instance(), node.mode()))
					.toList());
	}

	/**
	 * Delete the node of the holder, which finds that out when it releases the lock. A
	 * path leads to one grant only: a ticket never creates a second node after it has
	 * held the lock.
	 */
	@Override
	public EndResult end(String key, long grantToken) {
		boolean held = false;
		for (QueuedNode node : queue(key).holders()) {
			StoredHolder holder = holder(key, node).orElse(null);
			if (holder != null && holder.grantToken() == grantToken) {
				boolean deleted = this.connection.call("release of lock '" + key + "' by an operator",
						(session) -> session.delete(path(key, node)));
				// If the holder has just released the lock, the next look says what holds
				// it.
				return deleted ? EndResult.ENDED : end(key, grantToken);
			}
			held |= holder != null;
		}
		return held ? EndResult.CHANGED : EndResult.NOT_HELD;
	}

	private NodeQueue queue(String key) {
		String folder = this.paths.folder(key);
		return this.connection.call("inspection of lock '" + key + "'", (session) -> {
			session.sync(folder);
			return session.children(folder).thenApply(NodeQueue::of);
		});
	}

	/** What the node says of the holder, if it still exists. */
	private Optional<StoredHolder> holder(String key, QueuedNode node) {
		// The server does not know since when the node is the first.
		return this.connection.call("inspection of lock '" + key + "'", (session) -> session.stat(path(key, node)))
			.map((stat) -> new StoredHolder(node.instance(), node.mode(), Instant.ofEpochMilli(stat.getCtime()), null,
					TicketNode.firstToken(stat.getCzxid())));
	}

	private String path(String key, QueuedNode node) {
		return this.paths.folder(key) + "/" + node.name();
	}

}
