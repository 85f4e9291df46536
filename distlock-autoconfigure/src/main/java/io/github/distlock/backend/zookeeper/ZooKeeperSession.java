package io.github.distlock.backend.zookeeper;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

import io.github.distlock.backend.StoreSession;
import io.github.distlock.backend.TimeSource;
import io.github.distlock.backend.Validity;
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
 * A session with ZooKeeper: its commands, and the time until which it is certainly alive.
 *
 * <h2>Proof of life</h2> The leader ends a session if it receives nothing from it for the
 * session timeout. The client is connected to one server, which reports its sessions to
 * the leader each half tick. A tick is at most half of the session timeout, so there is a
 * report at least each quarter of the session timeout. The client cannot see these
 * reports, and a server that has lost its leader still answers reads. So only a reply of
 * the leader is a proof ({@link #confirm()}): what the server received a quarter of the
 * session timeout before that reply has been reported, and the session lives for its
 * timeout from that moment.
 *
 * <h2>Commands</h2> They are sent without waiting for the reply. The server executes them
 * in the order in which they were sent. A command whose reply is lost fails and is never
 * repeated, so no late copy of it can run; the only exception is {@link #create(String)}.
 * Continuations of a reply run on the client's event thread and must not block.
 */
final class ZooKeeperSession implements StoreSession {

	/** Share of the session timeout after which the server's report has arrived. */
	private static final double REPORT_SHARE = 0.25;

	/**
	 * Share of the session timeout that is left when the leader replies: the client sends
	 * something each third of the session timeout, and the server reports each quarter.
	 */
	private static final double REMAINING_SHARE = 1 - 1.0 / 3 - REPORT_SHARE;

	/**
	 * Share of the session timeout. If two confirmations are further apart, this process
	 * paused between them.
	 */
	private static final double PAUSE_SHARE = 1.0 / 3;

	/** Share of the session timeout between two confirmations. */
	private static final double CONFIRMATION_SHARE = 0.26;

	private static final long SHORTEST_DELAY_NANOS = Duration.ofMillis(20).toNanos();

	/** For a command that does not depend on the version of the node. */
	private static final int ANY_VERSION = -1;

	private static final byte[] NO_DATA = {};

	private final CuratorFramework client;

	private final ZooKeeper zooKeeper;

	private final TimeSource clock;

	private final Duration timeout;

	/**
	 * When the earliest confirmation was sent whose report to the leader is not proven
	 * yet. Guarded by the monitor of this object.
	 */
	private TimeSource.@Nullable Instant unreported;

	/** When the last answered confirmation was sent. Guarded by the monitor. */
	private TimeSource.@Nullable Instant lastConfirmation;

	/** Only replaced by later ones. Written under the monitor. */
	private volatile @Nullable Validity proven;

	ZooKeeperSession(CuratorFramework client, ZooKeeper zooKeeper, TimeSource clock) {
		this.client = client;
		this.zooKeeper = zooKeeper;
		this.clock = clock;
		this.timeout = Duration.ofMillis(zooKeeper.getSessionTimeout());
	}

	Duration timeout() {
		return this.timeout;
	}

	boolean isOf(ZooKeeper other) {
		return this.zooKeeper == other;
	}

	boolean isConnected() {
		return this.zooKeeper.getState().isConnected();
	}

	/** Whether the session has certainly ended: it has expired or was closed. */
	boolean hasEnded() {
		return !this.zooKeeper.getState().isAlive();
	}

	@Override
	public long remainingNanos() {
		return hasEnded() ? 0 : provenNanos();
	}

	private long provenNanos() {
		Validity current = this.proven;
		return (current != null) ? current.remainingNanos(this.clock) : 0;
	}

	/**
	 * Ask the leader whether the session lives. After a pause of this process, a single
	 * reply proves nothing about the future: the leader may have received no report of
	 * the session for long.
	 */
	void confirm() {
		TimeSource.Instant sent = this.clock.now();
		sync("/").thenAccept((reply) -> confirmed(sent));
	}

	/**
	 * The client has connected again, which the leader has confirmed: the time without a
	 * connection was no pause of this process.
	 */
	synchronized void reconnected() {
		this.unreported = null;
		this.lastConfirmation = null;
	}

	private synchronized void confirmed(TimeSource.Instant sent) {
		TimeSource.Instant previous = this.lastConfirmation;
		this.lastConfirmation = sent;
		if (previous == null || sent.nanos() - previous.nanos() <= share(PAUSE_SHARE).toNanos()) {
			extend(Validity.until(sent, share(REMAINING_SHARE)));
		}
		TimeSource.Instant received = this.unreported;
		if (received == null) {
			this.unreported = sent;
		}
		else if (sent.nanos() - received.nanos() >= share(REPORT_SHARE).toNanos()) {
			extend(Validity.until(received, this.timeout));
			this.unreported = sent;
		}
	}

	private void extend(Validity validity) {
		if (validity.remainingNanos(this.clock) > provenNanos()) {
			this.proven = validity;
		}
	}

	/** The delay until the leader is asked again, or until the session may have ended. */
	long nextConfirmationNanos() {
		long remaining = provenNanos();
		long delay = share(CONFIRMATION_SHARE).toNanos();
		return (remaining > 0) ? Math.max(SHORTEST_DELAY_NANOS, Math.min(delay, remaining)) : delay;
	}

	private Duration share(double share) {
		return Duration.ofNanos((long) (this.timeout.toNanos() * share));
	}

	/**
	 * Create an ephemeral sequential node, and its parents if they do not exist. Uses the
	 * application's client, so its ACLs and its retry policy apply: the command may be
	 * repeated, may leave several nodes, and may take long. Fails if a later session has
	 * created the node, which is found when the command is repeated.
	 * @param path the path of the node without the sequence number
	 */
	CompletableFuture<TicketNode> create(String path) {
		CompletableFuture<CuratorEvent> reply = new CompletableFuture<>();
		try {
			this.client.create()
				.storingStatIn(new Stat())
				.creatingParentContainersIfNeeded()
				.withMode(CreateMode.EPHEMERAL_SEQUENTIAL)
				.inBackground((source, event) -> complete(reply, event.getResultCode(), event.getPath(), event, null))
				.forPath(path, NO_DATA);
		}
		catch (Exception ex) {
			reply.completeExceptionally(ex);
		}
		return reply.thenApply((event) -> {
			if (!owns(event.getStat())) {
				throw new CompletionException(new KeeperException.SessionExpiredException());
			}
			return node(event.getName(), event.getStat());
		});
	}

	/** Whether this session created a node. */
	boolean owns(@Nullable Stat stat) {
		return stat != null && stat.getEphemeralOwner() == this.zooKeeper.getSessionId();
	}

	TicketNode node(String path, Stat stat) {
		return new TicketNode(path, TicketNode.firstToken(stat.getCzxid()), this);
	}

	/**
	 * The names of the nodes in a folder. Empty if the folder does not exist. Asks for
	 * the stat as well, which the client reads last: without it the list is not complete.
	 */
	CompletableFuture<List<String>> children(String path) {
		CompletableFuture<List<String>> reply = new CompletableFuture<>();
		this.zooKeeper.getChildren(full(path), false, (code, fullPath, context, names, stat) -> complete(reply, code,
				fullPath, (stat != null) ? names : null, List.of()), null);
		return reply;
	}

	/** The stat of a node, if the node exists. */
	CompletableFuture<Optional<Stat>> stat(String path) {
		return statOf(full(path));
	}

	/**
	 * The stat of a node outside of the client's namespace. With a chroot, the root is
	 * such a node.
	 */
	CompletableFuture<Optional<Stat>> statOf(String fullPath) {
		CompletableFuture<Optional<Stat>> reply = new CompletableFuture<>();
		this.zooKeeper.exists(fullPath, false, (code, path, context, stat) -> complete(reply, code, path,
				(stat != null) ? Optional.of(stat) : null, Optional.empty()), null);
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
	 * Delete a node.
	 * @return whether the node existed
	 */
	CompletableFuture<Boolean> delete(String path) {
		CompletableFuture<Boolean> reply = new CompletableFuture<>();
		this.zooKeeper.delete(full(path), ANY_VERSION,
				(code, fullPath, context) -> complete(reply, code, fullPath, true, false), null);
		return reply;
	}

	/** Delete several nodes of a folder, as far as they exist. */
	CompletableFuture<List<Boolean>> deleteAll(String folder, List<String> names) {
		return all(names.stream().map((name) -> delete(folder + "/" + name)).toList());
	}

	/** Get a reply from the leader, through the server of this session. */
	CompletableFuture<Boolean> sync(String path) {
		CompletableFuture<Boolean> reply = new CompletableFuture<>();
		this.zooKeeper.sync(full(path), (code, fullPath, context) -> complete(reply, code, fullPath, true, null), null);
		return reply;
	}

	/** All replies, in their order. */
	static <T> CompletableFuture<List<T>> all(List<CompletableFuture<T>> replies) {
		return CompletableFuture.allOf(replies.toArray(CompletableFuture[]::new))
			.thenApply((none) -> replies.stream().map(CompletableFuture::join).toList());
	}

	/** The path with the client's namespace. */
	private String full(String path) {
		return ZKPaths.makePath(this.client.getNamespace(), path);
	}

	/**
	 * The client passes on what it has read of a reply as a success, even if an error has
	 * ended the reading; it closes the connection after that. So a success without its
	 * value is a lost reply. The value for a missing node is {@code null} if that is a
	 * failure.
	 */
	private static <T> void complete(CompletableFuture<T> reply, int resultCode, @Nullable String path,
			@Nullable T value, @Nullable T valueIfMissing) {
		Code code = Code.get(resultCode);
		if (code == Code.OK && value != null) {
			reply.complete(value);
		}
		else if (code == Code.NONODE && valueIfMissing != null) {
			reply.complete(valueIfMissing);
		}
		else {
			reply.completeExceptionally(KeeperException.create((code != Code.OK) ? code : Code.CONNECTIONLOSS, path));
		}
	}

	/**
	 * A node of a ticket.
	 *
	 * @param path its path without the client's namespace
	 * @param firstToken the first fencing token of a grant by this node
	 * @param session the session that created the node, and whose end removes it
	 */
	record TicketNode(String path, long firstToken, ZooKeeperSession session) {

		/**
		 * The distance between the tokens of two transactions. It must never change, so
		 * that tokens rise over versions.
		 */
		private static final int TOKENS = ZooKeeperBackendSettings.MOST_TOKENS_PER_GRANT;

		/**
		 * The first token of a grant by a node. The number of the transaction that
		 * created the node is higher than that of each earlier node, and so are its
		 * tokens.
		 */
		static long firstToken(long czxid) {
			return czxid * TOKENS;
		}

		/** The name of the node in its folder. */
		String name() {
			return this.path.substring(this.path.lastIndexOf('/') + 1);
		}

		/** The number that the folder gave to the node; it may have overflowed. */
		int number() {
			return NodeQueue.number(name());
		}

	}

}
