package io.github.distlock.backend.zookeeper;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

import io.github.distlock.backend.StoreInspection;
import io.github.distlock.backend.StoredLock;
import io.github.distlock.backend.StoredLock.StoredHolder;
import io.github.distlock.backend.StoredLock.StoredWaiter;
import io.github.distlock.backend.zookeeper.NodeQueue.QueuedNode;

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
		return read(key, "inspection of lock '" + key + "'").lock;
	}

	/**
	 * Delete the node of the holder, which finds that out when it releases the lock. A
	 * path leads to one grant only: a ticket never creates a second node after it has
	 * held the lock.
	 */
	@Override
	public EndResult end(String key, long grantToken) {
		String command = "release of lock '" + key + "' by an operator";
		Content content = read(key, command);
		int index = content.lock.holders().stream().map(StoredHolder::grantToken).toList().indexOf(grantToken);
		if (index < 0) {
			return content.names.isEmpty() ? EndResult.NOT_HELD : EndResult.CHANGED;
		}
		String path = this.paths.folder(key) + "/" + content.names.get(index);
		// If the holder has just released the lock, the next look says what holds it.
		return await(command, (session) -> session.delete(path)) ? EndResult.ENDED : end(key, grantToken);
	}

	private Content read(String key, String command) {
		String folder = this.paths.folder(key);
		return await(command, (session) -> {
			session.sync(folder);
			return session.children(folder).thenApply(NodeQueue::of).thenCompose((queue) -> read(key, queue, session));
		});
	}

	private CompletableFuture<Content> read(String key, NodeQueue queue, ZooKeeperSession session) {
		List<QueuedNode> holders = queue.holders();
		List<StoredWaiter> waiting = queue.nodes()
			.stream()
			.skip(holders.size())
			.map((node) -> new StoredWaiter(node.instance(), node.mode()))
			.toList();
		String folder = this.paths.folder(key) + "/";
		return ZooKeeperSession.all(holders.stream().map((node) -> session.stat(folder + node.name())).toList())
			.thenApply((stats) -> {
				List<String> names = new ArrayList<>();
				List<StoredHolder> described = new ArrayList<>();
				for (int i = 0; i < stats.size(); i++) {
					QueuedNode node = holders.get(i);
					stats.get(i).ifPresent((stat) -> {
						names.add(node.name());
						// The server does not know since when the node is the first.
						described.add(new StoredHolder(node.instance(), node.mode(),
								Instant.ofEpochMilli(stat.getCtime()), null, TicketNode.firstToken(stat.getCzxid())));
					});
				}
				return new Content(new StoredLock(key, described, waiting), names);
			});
	}

	private <T> T await(String command, Function<ZooKeeperSession, CompletableFuture<T>> call) {
		return this.connection.await(this.connection.send(command, call));
	}

	/**
	 * The tickets' nodes in a folder.
	 *
	 * @param lock what they say about the lock
	 * @param names the names of the holders' nodes
	 */
	private record Content(StoredLock lock, List<String> names) {
	}

}
