package io.github.distlock.backend.zookeeper;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

import io.github.distlock.LockBackendException;
import io.github.distlock.backend.InstanceEntry;
import io.github.distlock.backend.StoreAdministration;
import io.github.distlock.backend.StoreCalls;
import io.github.distlock.backend.StoredLock;
import io.github.distlock.backend.StoredLock.StoredHolder;
import io.github.distlock.backend.StoredLock.StoredWaiter;
import io.github.distlock.backend.zookeeper.AsyncZooKeeper.NodeContent;
import io.github.distlock.backend.zookeeper.ZooKeeperTicket.TicketNode;
import org.apache.zookeeper.KeeperException;
import org.jspecify.annotations.Nullable;

/**
 * What operators need of ZooKeeper. A ticket's node leads to its instance by its name,
 * and to the first fencing token by the transaction that created it.
 */
final class ZooKeeperAdministration implements StoreAdministration {

	/** How often nodes are read again that change while they are read. */
	private static final int ATTEMPTS = 5;

	private static final Duration SWEEP_TIME = Duration.ofSeconds(5);

	private static final int SWEEP_BATCH = 100;

	private final LockPaths paths;

	private final ZooKeeperConnection connection;

	private final InstanceNodes instances;

	/** The last sweep if it was not complete. The next one continues it. */
	private volatile @Nullable UnfinishedSweep unfinished;

	ZooKeeperAdministration(LockPaths paths, ZooKeeperConnection connection, InstanceNodes instances) {
		this.paths = paths;
		this.connection = connection;
		this.instances = instances;
	}

	@Override
	public String location() {
		return this.connection.location(this.paths.root());
	}

	@Override
	public void ping() {
		String command = "check of the lock store";
		await((commands) -> commands.stat(this.paths.root()), command);
	}

	@Override
	public void announce() {
		this.instances.announce();
	}

	@Override
	public void withdraw() {
		this.instances.withdraw();
	}

	@Override
	public List<InstanceEntry> instances() {
		return this.instances.all();
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

	@Override
	public EndResult end(String key, long grantToken) {
		String command = "release of lock '" + key + "' by an operator";
		for (int i = 0; i < ATTEMPTS; i++) {
			List<HoldingNode> holders = await((commands) -> read(commands, this.paths.folder(key), ATTEMPTS), command)
				.holders();
			if (holders.isEmpty()) {
				return EndResult.NOT_HELD;
			}
			HoldingNode holder = holders.stream()
				.filter((node) -> node.grantToken() == grantToken)
				.findFirst()
				.orElse(null);
			if (holder == null) {
				return EndResult.CHANGED;
			}
			if (await((commands) -> end(commands, holder), command)) {
				return EndResult.ENDED;
			}
		}
		throw new LockBackendException("The " + command + " failed: the nodes of the lock and of its holder changed "
				+ ATTEMPTS + " times during the command. Repeat the command");
	}

	/**
	 * Delete a node, and name it to its JVM in the same transaction. A path leads to one
	 * grant only: a ticket never creates a second node after it has held the lock.
	 * @return whether it was deleted
	 */
	private CompletableFuture<Boolean> end(AsyncZooKeeper commands, HoldingNode holder) {
		String ended = this.paths.endedGrants(NodeQueue.instance(holder.name()));
		return commands.read(ended, null)
			.thenCompose(
					(node) -> node.isEmpty() ? commands.delete(holder.path())
							: commands.writeAndDelete(ended,
									EndedGrantsNode.withGrant(node.get(), NodeQueue.token(holder.name()),
											holder.grantToken()),
									node.get().stat().getVersion(), holder.path()))
			.exceptionallyCompose((failure) -> {
				Throwable cause = StoreCalls.unwrap(failure);
				if (cause instanceof KeeperException.BadVersionException) {
					return CompletableFuture.completedFuture(false);
				}
				// The holder notices it when it releases the lock.
				return (cause instanceof KeeperException.NoAuthException) ? commands.delete(holder.path())
						: CompletableFuture.failedFuture(cause);
			});
	}

	/**
	 * The session of a dead instance ends, and its nodes with it. Only nodes of a session
	 * that lives longer than its instance are found here.
	 */
	@Override
	public SweepResult endAll(String instance) {
		String command = "release of all locks of instance '" + instance + "'";
		if (await((commands) -> commands.stat(this.paths.instance(instance)), command).isPresent()) {
			return SweepResult.ALIVE;
		}
		UnfinishedSweep before = this.unfinished;
		String start = (before != null && before.instance().equals(instance)) ? before.lastFolder() : "";
		List<String> folders = await((commands) -> commands.children(this.paths.root()), command).stream()
			.filter((name) -> LockPaths.isFolder(name) && name.compareTo(start) > 0)
			.sorted()
			.toList();
		long started = this.connection.clock().nanoTime();
		int released = 0;
		for (int from = 0; from < folders.size(); from += SWEEP_BATCH) {
			if (this.connection.clock().nanoTime() - started > SWEEP_TIME.toNanos()) {
				this.unfinished = new UnfinishedSweep(instance, folders.get(from - 1));
				return new SweepResult(false, released, false);
			}
			List<String> batch = folders.subList(from, Math.min(folders.size(), from + SWEEP_BATCH));
			released += await((commands) -> sweep(commands, batch, instance), command);
		}
		this.unfinished = null;
		return new SweepResult(false, released, true);
	}

	private CompletableFuture<Integer> sweep(AsyncZooKeeper commands, List<String> folders, String instance) {
		return folders.stream()
			.map((name) -> this.paths.folderNamed(name))
			.map((folder) -> commands.children(folder)
				.thenCompose((names) -> sweep(commands, folder, new NodeQueue(names), instance)))
			.reduce(CompletableFuture.completedFuture(0), (one, other) -> one.thenCombine(other, Integer::sum));
	}

	/** The youngest node first, so that none of a dead instance becomes the holder. */
	private static CompletableFuture<Integer> sweep(AsyncZooKeeper commands, String folder, NodeQueue queue,
			String instance) {
		List<String> holders = queue.holders();
		List<String> names = queue.inOrder();
		CompletableFuture<Integer> released = CompletableFuture.completedFuture(0);
		for (int i = names.size() - 1; i >= 0; i--) {
			String name = names.get(i);
			if (NodeQueue.instance(name).equals(instance)) {
				int count = holders.contains(name) ? 1 : 0;
				released = commands.delete(folder + "/" + name)
					.thenApply((existed) -> existed ? count : 0)
					.thenCombine(released, Integer::sum);
			}
		}
		return released;
	}

	private <T> T await(Function<AsyncZooKeeper, CompletableFuture<T>> call, String command) {
		return this.connection.await(call.apply(this.connection.session(command).commands()), command);
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

	/**
	 * A sweep that ran out of time.
	 *
	 * @param instance the instance
	 * @param lastFolder the name of the last folder that was searched
	 */
	private record UnfinishedSweep(String instance, String lastFolder) {
	}

}
