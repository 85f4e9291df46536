package io.github.distlock.backend.zookeeper;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;

import io.github.distlock.LockBackendException;
import io.github.distlock.backend.StoreCalls;
import io.github.distlock.backend.StoreUnusableException;
import io.github.distlock.backend.TimeSource;
import io.github.distlock.thread.LockLog;
import io.github.distlock.thread.LockThreads;
import io.github.distlock.thread.LockTimers;
import io.github.distlock.thread.TimerThread;
import org.apache.commons.logging.Log;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.api.CuratorEvent;
import org.apache.curator.framework.api.CuratorListener;
import org.apache.curator.framework.state.ConnectionState;
import org.apache.curator.framework.state.ConnectionStateListener;
import org.apache.curator.utils.ZKPaths;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.WatchedEvent;
import org.apache.zookeeper.Watcher;
import org.apache.zookeeper.ZooKeeper;
import org.jspecify.annotations.Nullable;

/**
 * The connection of a store: provides the current session, has it confirmed by the leader
 * at intervals, and waits for replies. The caller starts and closes the client.
 */
final class ZooKeeperConnection {

	private static final Log logger = LockLog.of(ZooKeeperConnection.class);

	/** Delay between two checks while there is no session. */
	private static final long NO_SESSION_DELAY_NANOS = Duration.ofSeconds(1).toNanos();

	private final CuratorFramework client;

	private final Duration commandTimeout;

	private final TimeSource clock;

	private final SessionListener listener;

	private final LockTimers timers;

	private final ConnectionStateListener stateListener = this::stateChanged;

	private final CuratorListener eventListener = this::eventReceived;

	private final AtomicInteger disconnects = new AtomicInteger();

	/** The last session. Written under the monitor of this object. */
	private volatile @Nullable ZooKeeperSession session;

	/** Completes when there is a connection. Replaced by {@link #stateChanged} only. */
	private volatile CompletableFuture<Boolean> connected = new CompletableFuture<>();

	/** Whether the root of the client is known to exist, which a chroot need not do. */
	private volatile boolean rootExists;

	private volatile boolean closed;

	ZooKeeperConnection(CuratorFramework client, Duration commandTimeout, TimeSource clock, SessionListener listener) {
		this.client = client;
		this.commandTimeout = commandTimeout;
		this.clock = clock;
		this.listener = listener;
		this.timers = new TimerThread(LockThreads.named("distlock-zookeeper"));
	}

	/** Start to observe the client. */
	void start() {
		this.client.getCuratorListenable().addListener(this.eventListener);
		this.client.getConnectionStateListenable().addListener(this.stateListener);
		if (this.client.getZookeeperClient().isConnected()) {
			this.connected.complete(true);
		}
		this.timers.repeat(this::confirmSession, NO_SESSION_DELAY_NANOS).within(0);
		this.timers.repeat(this.commandTimeout.toNanos() / 4, this::keepTimerAwake).within(0);
	}

	/**
	 * The JVM's thread for time-outs has something to do before the next command can time
	 * out. So no command is the first that it waits for: until Java 24 each of those
	 * would wake it.
	 */
	private void keepTimerAwake() {
		CompletableFuture.delayedExecutor(this.commandTimeout.toNanos() / 2, TimeUnit.NANOSECONDS, Runnable::run)
			.execute(() -> {
			});
	}

	/** Stop to confirm the session. The client is observed until the end. */
	void close() {
		this.closed = true;
		this.timers.stop();
	}

	void end() {
		this.client.getConnectionStateListenable().removeListener(this.stateListener);
		this.client.getCuratorListenable().removeListener(this.eventListener);
	}

	boolean isClosed() {
		return this.closed;
	}

	/**
	 * The number of lost connections. A command during which it has changed may have been
	 * executed twice.
	 */
	int disconnects() {
		return this.disconnects.get();
	}

	/**
	 * Send a command to the connected session, or when there is one.
	 * @param command what to call it in messages
	 * @param call sends it
	 * @return completes with the reply. It fails if there is no session within the
	 * command time-out, or no reply within the same time after that
	 */
	<T> CompletableFuture<T> send(String command, Function<ZooKeeperSession, CompletableFuture<T>> call) {
		ZooKeeperSession connected = connectedSession();
		if (connected != null && this.rootExists) {
			// No stage for a session that is there: a new JVM has to compile its code.
			try {
				return limit(call.apply(connected), command);
			}
			catch (Throwable ex) {
				return CompletableFuture.failedFuture(ex);
			}
		}
		CompletableFuture<ZooKeeperSession> session = (connected != null) ? CompletableFuture.completedFuture(connected)
				: awaitSession(command);
		return (this.rootExists ? session : session.thenCompose((current) -> requireRoot(current, command)))
			.thenCompose((current) -> limit(call.apply(current), command));
	}

	/**
	 * Without its root a client can create nothing. Curator would log a stack trace for
	 * each attempt to do so.
	 */
	private CompletableFuture<ZooKeeperSession> requireRoot(ZooKeeperSession session, String command) {
		return limit(session.statOf("/"), command).thenApply((stat) -> {
			String servers = servers();
			int chroot = servers.indexOf('/');
			if (stat.isEmpty()) {
				throw new StoreUnusableException("The chroot '" + servers.substring(chroot)
						+ "' of the connect string does not exist in ZooKeeper at " + servers.substring(0, chroot)
						+ ". Create this node, or correct the connect string"
						+ " (distlock.zookeeper.connect-string, or the application's CuratorFramework). The " + command
						+ " was not sent", null);
			}
			this.rootExists = true;
			return session;
		});
	}

	private CompletableFuture<ZooKeeperSession> awaitSession(String command) {
		return this.connected.copy()
			.orTimeout(this.commandTimeout.toNanos(), TimeUnit.NANOSECONDS)
			.handle((connected, failure) -> {
				ZooKeeperSession current = connectedSession();
				if (current == null) {
					throw unreachable(command, failure);
				}
				return current;
			});
	}

	/** The session if it is connected, without waiting. */
	@Nullable ZooKeeperSession connectedSession() {
		ZooKeeperSession last = this.session;
		if (last != null && last.isConnected()) {
			return last;
		}
		if (!this.client.getZookeeperClient().isConnected()) {
			return null;
		}
		try {
			return sessionOf(this.client.getZookeeperClient().getZooKeeper());
		}
		catch (Exception ex) {
			logger.debug("There is no session with ZooKeeper yet", ex);
			return null;
		}
	}

	private synchronized @Nullable ZooKeeperSession sessionOf(ZooKeeper zooKeeper) {
		ZooKeeperSession current = this.session;
		if (!zooKeeper.getState().isConnected()) {
			return null;
		}
		if (current == null || !current.isOf(zooKeeper)) {
			current = new ZooKeeperSession(this.client, zooKeeper, this.clock);
			this.session = current;
			// Sent, and so answered, before all other commands of the session.
			current.confirm();
		}
		return current;
	}

	/**
	 * Send a command, and wait for its reply. An interrupt does not end the wait: the
	 * flag is kept.
	 */
	<T> T call(String command, Function<ZooKeeperSession, CompletableFuture<T>> call) {
		try {
			return send(command, call).join();
		}
		catch (CompletionException ex) {
			throw (StoreCalls.unwrap(ex) instanceof LockBackendException failure) ? failure : ex;
		}
	}

	/**
	 * The reply, or the failure to throw if there is none within the command time-out.
	 * Does not change the given reply: what follows it runs even if it comes later.
	 */
	<T> CompletableFuture<T> limit(CompletableFuture<T> reply, String command) {
		return reply.copy().orTimeout(this.commandTimeout.toNanos(), TimeUnit.NANOSECONDS).exceptionally((failure) -> {
			throw failed(command, StoreCalls.unwrap(failure));
		});
	}

	private LockBackendException unreachable(String command, @Nullable Throwable cause) {
		return new LockBackendException("There is no connection to ZooKeeper at " + servers()
				+ ", and none was established within " + this.commandTimeout
				+ ". Check that the ensemble runs, has a leader and is reachable (distlock.zookeeper.connect-string,"
				+ " or the application's CuratorFramework). The " + command + " was not sent", cause);
	}

	/** The exception for a command that failed. */
	private LockBackendException failed(String command, Throwable cause) {
		if (cause instanceof TimeoutException) {
			return new LockBackendException("ZooKeeper at " + servers() + " did not reply within " + this.commandTimeout
					+ ". Check that the ensemble has a leader and that its disks are fast, or raise"
					+ " distlock.zookeeper.command-timeout. The " + command + " failed");
		}
		boolean refused = cause instanceof KeeperException.NoAuthException
				|| cause instanceof KeeperException.InvalidACLException;
		String remedy = refused ? "Give the client the right to create, read and delete below the root of the locks"
				+ " (distlock.zookeeper.root), by the authorization and the ACL provider of the application's"
				+ " CuratorFramework" : "Check that the ensemble runs and has a leader";
		return new LockBackendException("ZooKeeper at " + servers() + " returned " + cause.getMessage() + ". " + remedy
				+ ". The " + command + " failed", cause);
	}

	/** Describe where a node is. */
	String location(String path) {
		return "ZooKeeper at " + servers() + ", path '" + ZKPaths.makePath(this.client.getNamespace(), path) + "'";
	}

	/** The path of a node in an event, without the client's namespace. */
	String withoutNamespace(String fullPath) {
		String namespace = this.client.getNamespace();
		return namespace.isEmpty() ? fullPath : fullPath.substring(namespace.length() + 1);
	}

	private String servers() {
		return this.client.getZookeeperClient().getCurrentConnectionString();
	}

	/** Returns the nanoseconds until the next confirmation. */
	private long confirmSession() {
		try {
			ZooKeeperSession last = this.session;
			if (last != null && last.remainingNanos() <= 0) {
				this.listener.sessionInDoubt();
			}
			ZooKeeperSession current = connectedSession();
			if (current != null) {
				current.confirm();
				this.listener.cleanUp();
				return current.nextConfirmationNanos();
			}
		}
		catch (RuntimeException ex) {
			logger.warn(ex.getMessage() + ". The check of the session with ZooKeeper will be repeated", ex);
		}
		return NO_SESSION_DELAY_NANOS;
	}

	/** Called on the client's event thread, in order with the replies to commands. */
	private void eventReceived(CuratorFramework source, CuratorEvent event) {
		WatchedEvent watched = event.getWatchedEvent();
		if (watched != null && watched.getState() == Watcher.Event.KeeperState.Disconnected) {
			this.disconnects.incrementAndGet();
			this.listener.disconnected();
		}
	}

	private void stateChanged(CuratorFramework source, ConnectionState state) {
		switch (state) {
			case CONNECTED, RECONNECTED -> {
				ZooKeeperSession current = connectedSession();
				if (current != null) {
					current.reconnected();
					current.confirm();
				}
				this.connected.complete(true);
				this.listener.connected();
			}
			case SUSPENDED, LOST -> {
				if (this.connected.isDone()) {
					this.connected = new CompletableFuture<>();
				}
				this.listener.sessionInDoubt();
			}
			default -> logger.debug("The connection to ZooKeeper is read-only");
		}
	}

	/** Receives the changes of the session. Must not block. */
	interface SessionListener {

		/** The client has connected. */
		void connected();

		/** The session is connected. Called at intervals. */
		void cleanUp();

		/** The connection is lost. Called in order with the replies to commands. */
		void disconnected();

		/** The session may end, or has ended. */
		void sessionInDoubt();

	}

}
