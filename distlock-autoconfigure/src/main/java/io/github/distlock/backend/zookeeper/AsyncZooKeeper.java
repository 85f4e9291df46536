package io.github.distlock.backend.zookeeper;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.api.CuratorEvent;
import org.apache.curator.utils.ZKPaths;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.Watcher;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.data.Stat;
import org.jspecify.annotations.Nullable;

/**
 * The commands of one session, sent without waiting for the reply. The server executes
 * them in the order in which they were sent. A command whose reply is lost fails and is
 * never repeated, so no late copy of it can run; the only exception is
 * {@link #create(String)}. Continuations of a reply run on the client's event thread and
 * must not block.
 */
final class AsyncZooKeeper {

	/** For a command that does not depend on the version of the node. */
	static final int ANY_VERSION = -1;

	static final byte[] NO_DATA = {};

	private final CuratorFramework client;

	private final ZooKeeper zooKeeper;

	private final @Nullable String namespace;

	AsyncZooKeeper(CuratorFramework client, ZooKeeper zooKeeper) {
		this.client = client;
		this.zooKeeper = zooKeeper;
		this.namespace = client.getNamespace().isEmpty() ? null : client.getNamespace();
	}

	/**
	 * Create an ephemeral sequential node, and its parents if they do not exist. Uses the
	 * application's client, so its ACLs and its retry policy apply: the command may be
	 * repeated, in a later session too, may leave several nodes, and may take long. The
	 * caller has to check the session of the node.
	 * @param path the path of the node without the sequence number
	 * @return the event that names the node, with its stat
	 */
	CompletableFuture<CuratorEvent> create(String path) {
		CompletableFuture<CuratorEvent> reply = new CompletableFuture<>();
		try {
			this.client.create()
				.storingStatIn(new Stat())
				.creatingParentContainersIfNeeded()
				.withMode(CreateMode.EPHEMERAL_SEQUENTIAL)
				.inBackground((source, event) -> {
					Code code = Code.get(event.getResultCode());
					if (code == Code.OK) {
						reply.complete(event);
					}
					else {
						reply.completeExceptionally(KeeperException.create(code, event.getPath()));
					}
				})
				.forPath(path, NO_DATA);
		}
		catch (Throwable ex) {
			reply.completeExceptionally(ex);
		}
		return reply;
	}

	/** The names of the nodes in a folder. Empty if the folder does not exist. */
	CompletableFuture<List<String>> children(String path) {
		CompletableFuture<List<String>> reply = new CompletableFuture<>();
		this.zooKeeper.getChildren(full(path), false,
				(code, fullPath, context, names) -> complete(reply, code, fullPath, names, List.of()), null);
		return reply;
	}

	/** Read a node, if the node exists. */
	private CompletableFuture<Optional<NodeContent>> read(String path) {
		CompletableFuture<Optional<NodeContent>> reply = new CompletableFuture<>();
		this.zooKeeper
			.getData(full(path), false,
					(code, fullPath, context, data, stat) -> complete(reply, code, fullPath,
							Optional.of(new NodeContent((data != null) ? data : NO_DATA, stat)), Optional.empty()),
					null);
		return reply;
	}

	/** Read the nodes of a folder with these names, in their order. */
	CompletableFuture<List<Optional<NodeContent>>> readAll(String folder, List<String> names) {
		List<CompletableFuture<Optional<NodeContent>>> replies = names.stream()
			.map((name) -> read(folder + "/" + name))
			.toList();
		return CompletableFuture.allOf(replies.toArray(CompletableFuture[]::new))
			.thenApply((none) -> replies.stream().map(CompletableFuture::join).toList());
	}

	/** The stat of a node, if the node exists. */
	CompletableFuture<Optional<Stat>> stat(String path) {
		CompletableFuture<Optional<Stat>> reply = new CompletableFuture<>();
		this.zooKeeper.exists(full(path), false, (code, fullPath, context, stat) -> complete(reply, code, fullPath,
				Optional.ofNullable(stat), Optional.empty()), null);
		return reply;
	}

	/**
	 * Watch a node. Reads its data, since {@code exists} would leave a watch for the
	 * creation of a node that is never created again.
	 * @return whether the node exists
	 */
	CompletableFuture<Boolean> watch(String path, Watcher watcher) {
		CompletableFuture<Boolean> reply = new CompletableFuture<>();
		this.zooKeeper.getData(full(path), watcher,
				(code, fullPath, context, data, stat) -> complete(reply, code, fullPath, true, false), null);
		return reply;
	}

	/**
	 * Remove all watches of this client on a node: the server is not notified when only
	 * one of several is removed. Failures are ignored.
	 */
	void unwatch(String path) {
		this.zooKeeper.removeAllWatches(full(path), Watcher.WatcherType.Data, true, (code, fullPath, context) -> {
		}, null);
	}

	/**
	 * Delete a node.
	 * @return whether the node existed
	 */
	CompletableFuture<Boolean> delete(String path) {
		CompletableFuture<Boolean> reply = new CompletableFuture<>();
		this.zooKeeper.delete(full(path), ANY_VERSION,
				(code, fullPath, context) -> complete(reply, code, fullPath, true, false), null);
		return reply;
	}

	/**
	 * Delete several nodes of a folder.
	 * @return true, when none of them exists any more
	 */
	CompletableFuture<Boolean> deleteAll(String folder, List<String> names) {
		List<CompletableFuture<Boolean>> deletions = new ArrayList<>(names.size());
		for (String name : names) {
			deletions.add(delete(folder + "/" + name));
		}
		return CompletableFuture.allOf(deletions.toArray(CompletableFuture[]::new)).thenApply((none) -> true);
	}

	/** Whether the root of the client exists: with a chroot, that is a node. */
	CompletableFuture<Boolean> rootExists() {
		CompletableFuture<Boolean> reply = new CompletableFuture<>();
		this.zooKeeper.exists("/", false,
				(code, fullPath, context, stat) -> complete(reply, code, fullPath, true, false), null);
		return reply;
	}

	/** Get a reply from the leader, through the server of this session. */
	CompletableFuture<Boolean> sync(String path) {
		CompletableFuture<Boolean> reply = new CompletableFuture<>();
		this.zooKeeper.sync(full(path), (code, fullPath, context) -> complete(reply, code, fullPath, true, null), null);
		return reply;
	}

	/** The path with the client's namespace, as in the events of the server. */
	String full(String path) {
		return ZKPaths.fixForNamespace(this.namespace, path);
	}

	/** The value for a missing node is {@code null} if that is a failure. */
	private static <T> void complete(CompletableFuture<T> reply, int resultCode, @Nullable String path, T value,
			@Nullable T valueIfMissing) {
		Code code = Code.get(resultCode);
		if (code == Code.OK) {
			reply.complete(value);
		}
		else if (code == Code.NONODE && valueIfMissing != null) {
			reply.complete(valueIfMissing);
		}
		else {
			reply.completeExceptionally(KeeperException.create(code, path));
		}
	}

	/**
	 * A node with its data.
	 *
	 * @param data the data, possibly empty
	 * @param stat the stat
	 */
	record NodeContent(byte[] data, Stat stat) {

		/** The data as text. */
		String text() {
			return new String(this.data, StandardCharsets.UTF_8);
		}

	}

}
