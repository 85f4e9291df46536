package io.github.distlock.backend.zookeeper;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

import org.apache.curator.utils.ZKPaths;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.Op;
import org.apache.zookeeper.Watcher;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.data.ACL;
import org.apache.zookeeper.data.Stat;
import org.jspecify.annotations.Nullable;

/**
 * The commands of one session, sent without waiting. They are executed in the order in
 * which they are sent, and never repeated: a command whose answer is lost fails. So no
 * stray copy of one runs later. What follows from an answer runs on the client's event
 * thread and must not block.
 */
final class AsyncZooKeeper {

	private static final int ANY_VERSION = -1;

	private final ZooKeeper zooKeeper;

	private final @Nullable String namespace;

	AsyncZooKeeper(ZooKeeper zooKeeper, String namespace) {
		this.zooKeeper = zooKeeper;
		this.namespace = namespace.isEmpty() ? null : namespace;
	}

	/** The nodes in a folder; none if there is no folder. */
	CompletableFuture<List<String>> children(String path) {
		CompletableFuture<List<String>> reply = new CompletableFuture<>();
		this.zooKeeper.getChildren(full(path), false, (rc, where, context, names) -> {
			switch (Code.get(rc)) {
				case OK -> reply.complete(names);
				case NONODE -> reply.complete(List.of());
				default -> fail(reply, rc, where);
			}
		}, null);
		return reply;
	}

	/** What is known of a node, if it exists. */
	CompletableFuture<Optional<Stat>> stat(String path) {
		CompletableFuture<Optional<Stat>> reply = new CompletableFuture<>();
		this.zooKeeper.exists(full(path), false, (rc, where, context, stat) -> {
			switch (Code.get(rc)) {
				case OK -> reply.complete(Optional.of(stat));
				case NONODE -> reply.complete(Optional.empty());
				default -> fail(reply, rc, where);
			}
		}, null);
		return reply;
	}

	/**
	 * Watch a node; answers whether it exists. Not by {@code exists}, which would go on
	 * watching for a node that never comes again.
	 */
	CompletableFuture<Boolean> watch(String path, Watcher watcher) {
		CompletableFuture<Boolean> reply = new CompletableFuture<>();
		this.zooKeeper.getData(full(path), watcher, (rc, where, context, data, stat) -> {
			switch (Code.get(rc)) {
				case OK -> reply.complete(true);
				case NONODE -> reply.complete(false);
				default -> fail(reply, rc, where);
			}
		}, null);
		return reply;
	}

	/**
	 * Watch a node no longer. All watches of this client on it, since the server is not
	 * told of the end of a single one. Whether that succeeds makes no difference.
	 */
	void unwatch(String path) {
		this.zooKeeper.removeAllWatches(full(path), Watcher.WatcherType.Data, true, (rc, where, context) -> {
		}, null);
	}

	/** Delete a node; answers whether it existed. */
	CompletableFuture<Boolean> delete(String path) {
		CompletableFuture<Boolean> reply = new CompletableFuture<>();
		this.zooKeeper.delete(full(path), ANY_VERSION, (rc, where, context) -> {
			switch (Code.get(rc)) {
				case OK -> reply.complete(true);
				case NONODE -> reply.complete(false);
				default -> fail(reply, rc, where);
			}
		}, null);
		return reply;
	}

	/** Who may do what with a node; nothing if there is no node. */
	CompletableFuture<List<ACL>> rights(String path) {
		CompletableFuture<List<ACL>> reply = new CompletableFuture<>();
		this.zooKeeper.getACL(full(path), null, (rc, where, context, rights, stat) -> {
			switch (Code.get(rc)) {
				case OK -> reply.complete(rights);
				case NONODE -> reply.complete(List.of());
				default -> fail(reply, rc, where);
			}
		}, null);
		return reply;
	}

	/**
	 * Put another ephemeral node in the place of one, in one transaction; answers whether
	 * that one existed.
	 */
	CompletableFuture<Boolean> replace(String path, String other, List<ACL> rights) {
		CompletableFuture<Boolean> reply = new CompletableFuture<>();
		List<Op> both = List.of(Op.delete(full(path), ANY_VERSION),
				Op.create(full(other), new byte[0], rights, CreateMode.EPHEMERAL));
		this.zooKeeper.multi(both, (rc, where, context, results) -> {
			switch (Code.get(rc)) {
				case OK -> reply.complete(true);
				case NONODE -> reply.complete(false);
				default -> fail(reply, rc, where);
			}
		}, null);
		return reply;
	}

	/** Ask the leader, by way of this session's server. */
	CompletableFuture<Boolean> sync(String path) {
		CompletableFuture<Boolean> reply = new CompletableFuture<>();
		this.zooKeeper.sync(full(path), (rc, where, context) -> {
			if (Code.get(rc) == Code.OK) {
				reply.complete(true);
			}
			else {
				fail(reply, rc, where);
			}
		}, null);
		return reply;
	}

	/** The path with the client's namespace, as the server's events name it. */
	String full(String path) {
		return ZKPaths.fixForNamespace(this.namespace, path);
	}

	private static void fail(CompletableFuture<?> reply, int rc, String path) {
		reply.completeExceptionally(KeeperException.create(Code.get(rc), path));
	}

}
