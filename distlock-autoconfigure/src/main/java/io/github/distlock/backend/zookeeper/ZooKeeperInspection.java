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
import io.github.distlock.backend.zookeeper.AsyncZooKeeper.NodeContent;
import io.github.distlock.backend.zookeeper.ZooKeeperTicket.TicketNode;

/**
 * What ZooKeeper tells operators. The name of a ticket's node contains its instance, and
 * the transaction that created the node gives the first fencing token.
 */
final class ZooKeeperInspection implements StoreInspection {

	/** How often nodes are read again that change while they are read. */
	private static final int ATTEMPTS = 5;

	private final LockPaths paths;

	private final ZooKeeperConnection connection;

	ZooKeeperInspection(LockPaths paths, ZooKeeperConnection connection) {
		this.paths = paths;
		this.connection = connection;
	}

	@Override
	public StoredLock inspect(String key) {
		FolderContent content = await((commands) -> read(commands, this.paths.folder(key), ATTEMPTS),
				"inspection of lock '" + key + "'");
		return new StoredLock(key, content.holders().stream().map(HoldingNode::describe).toList(),
				content.waiting()
					.stream()
					.map((name) -> new StoredWaiter(NodeQueue.instance(name), NodeQueue.mode(name)))
					.toList());
	}

	/** After a reply of the leader, so that it is not older than the call. */
	private CompletableFuture<FolderContent> read(AsyncZooKeeper commands, String folder, int attempts) {
		commands.sync(folder);
		return commands.children(folder).thenCompose((names) -> {
			NodeQueue queue = new NodeQueue(names);
			List<String> holders = queue.holders();
			List<String> inOrder = queue.inOrder();
			return commands.readAll(folder, holders).thenCompose((nodes) -> {
				List<HoldingNode> holding = new ArrayList<>(holders.size());
				for (int i = 0; i < nodes.size(); i++) {
					String name = holders.get(i);
					nodes.get(i).ifPresent((node) -> holding.add(new HoldingNode(folder, name, node)));
				}
				return (holding.size() == holders.size() || attempts == 1)
						? CompletableFuture.completedFuture(
								new FolderContent(holding, inOrder.subList(holders.size(), inOrder.size())))
						: read(commands, folder, attempts - 1);
			});
		});
	}

	/**
	 * Delete the node of the holder, which finds that out when it releases the lock. A
	 * path leads to one grant only: a ticket never creates a second node after it has
	 * held the lock.
	 */
	@Override
	public EndResult end(String key, long grantToken) {
		String command = "release of lock '" + key + "' by an operator";
		List<HoldingNode> holders = await((commands) -> read(commands, this.paths.folder(key), ATTEMPTS), command)
			.holders();
		HoldingNode holder = holders.stream()
			.filter((node) -> node.grantToken() == grantToken)
			.findFirst()
			.orElse(null);
		if (holder == null) {
			return holders.isEmpty() ? EndResult.NOT_HELD : EndResult.CHANGED;
		}
		// If the holder has just released the lock, the next look says what holds it.
		return await((commands) -> commands.delete(holder.path()), command) ? EndResult.ENDED : end(key, grantToken);
	}

	private <T> T await(Function<AsyncZooKeeper, CompletableFuture<T>> call, String command) {
		return this.connection.await(this.connection.send(command, (session) -> call.apply(session.commands())));
	}

	/**
	 * The tickets' nodes in a folder.
	 *
	 * @param holders the nodes that hold the lock
	 * @param waiting the names of the other nodes, oldest first
	 */
	private record FolderContent(List<HoldingNode> holders, List<String> waiting) {
	}

	/**
	 * A node that holds a lock.
	 *
	 * @param folder the path of its folder
	 * @param name its name
	 * @param content its content
	 */
	private record HoldingNode(String folder, String name, NodeContent content) {

		String path() {
			return this.folder + "/" + this.name;
		}

		long grantToken() {
			return TicketNode.firstToken(this.content);
		}

		/** The server does not know since when the node is the first. */
		StoredHolder describe() {
			return new StoredHolder(NodeQueue.instance(this.name), NodeQueue.mode(this.name),
					Instant.ofEpochMilli(this.content.stat().getCtime()), null, grantToken());
		}

	}

}
