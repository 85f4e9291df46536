package io.github.distlock.backend.zookeeper;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

import io.github.distlock.LockBackendException;
import io.github.distlock.backend.TimeSource;
import io.github.distlock.thread.LockThreads;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.api.CuratorEvent;
import org.apache.curator.framework.api.CuratorEventType;
import org.apache.curator.framework.api.CuratorListener;
import org.apache.curator.framework.imps.CuratorFrameworkState;
import org.apache.curator.framework.state.ConnectionState;
import org.apache.curator.framework.state.ConnectionStateListener;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.Watcher;
import org.apache.zookeeper.ZooKeeper;
import org.jspecify.annotations.Nullable;

/**
 * This JVM's link with ZooKeeper: which session there is, and whether it lives. The
 * client belongs to somebody else, who starts and closes it.
 */
final class ZooKeeperConnection {

	private static final Log logger = LogFactory.getLog(ZooKeeperConnection.class);

	private static final long NO_SESSION_PAUSE_NANOS = Duration.ofSeconds(1).toNanos();

	private final CuratorFramework client;

	private final Duration patience;

	private final TimeSource clock;

	private final ConnectionStateListener stateListener = this::connectionChanged;

	private final CuratorListener eventListener = this::eventReceived;

	/**
	 * Counts lost connections: a command during which one was lost may have run twice.
	 */
	private final AtomicInteger disconnects = new AtomicInteger();

	private final ReentrantLock lock = new ReentrantLock();

	/** Guarded by {@link #lock} for writing. */
	private volatile @Nullable ZooKeeperSession current;

	/** The session of which was told last. Touched by the state listener only. */
	private @Nullable ZooKeeperSession told;

	/** Completes when there is a connection. Guarded by {@link #lock} for writing. */
	private volatile CompletableFuture<Boolean> connected = new CompletableFuture<>();

	private volatile @Nullable Open open;

	ZooKeeperConnection(CuratorFramework client, Duration patience, TimeSource clock) {
		this.client = client;
		this.patience = patience;
		this.clock = clock;
	}

	void open(Events events) {
		ScheduledThreadPoolExecutor timers = new ScheduledThreadPoolExecutor(1,
				LockThreads.named("distlock-zookeeper"));
		timers.setRemoveOnCancelPolicy(true);
		timers.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
		this.open = new Open(events, timers);
		this.client.getCuratorListenable().addListener(this.eventListener);
		this.client.getConnectionStateListenable().addListener(this.stateListener);
		if (this.client.getZookeeperClient().isConnected()) {
			this.connected.complete(true);
		}
		later(this::beat, 0);
	}

	void close() {
		Open closing = this.open;
		this.open = null;
		this.client.getConnectionStateListenable().removeListener(this.stateListener);
		this.client.getCuratorListenable().removeListener(this.eventListener);
		if (closing != null) {
			closing.timers().shutdownNow();
		}
	}

	/**
	 * Finish what is left after the end: now, and each time the client is connected
	 * again, until nothing is left or the client is closed.
	 * @param action does not block, and answers whether nothing is left
	 */
	void onConnection(BooleanSupplier action) {
		if (action.getAsBoolean()) {
			return;
		}
		this.client.getConnectionStateListenable().addListener(new ConnectionStateListener() {

			@Override
			public void stateChanged(CuratorFramework source, ConnectionState state) {
				if (state.isConnected() && action.getAsBoolean()) {
					source.getConnectionStateListenable().removeListener(this);
				}
			}

		});
	}

	boolean isOpen() {
		return this.open != null;
	}

	CuratorFramework client() {
		return this.client;
	}

	int disconnects() {
		return this.disconnects.get();
	}

	/** Run a task that does not block after a delay, unless the store stops before. */
	void later(Runnable task, long delayNanos) {
		Open now = this.open;
		if (now == null) {
			return;
		}
		try {
			now.timers().schedule(task, delayNanos, TimeUnit.NANOSECONDS);
		}
		catch (RejectedExecutionException ex) {
			logger.debug("A timer was not set, since the store has stopped", ex);
		}
	}

	/** The session, waiting for a connection if there is none. */
	ZooKeeperSession session(String what) {
		ZooKeeperSession session = connectedSession();
		if (session != null) {
			return session;
		}
		Throwable cause = null;
		try {
			uninterruptibly(this.connected);
			session = connectedSession();
		}
		catch (ExecutionException | TimeoutException ex) {
			cause = ex;
		}
		if (session == null) {
			throw ZooKeeperFailures.unreachable(what, servers(), this.patience,
					(cause != null) ? cause : new KeeperException.ConnectionLossException());
		}
		return session;
	}

	/** The session if it is connected, without waiting. */
	@Nullable ZooKeeperSession connectedSession() {
		ZooKeeperSession session = this.current;
		if (session != null && session.isConnected()) {
			return session;
		}
		if (this.client.getState() != CuratorFrameworkState.STARTED
				|| !this.client.getZookeeperClient().isConnected()) {
			return null;
		}
		try {
			return adopt(this.client.getZookeeperClient().getZooKeeper());
		}
		catch (Exception ex) {
			logger.debug("There is no session with ZooKeeper yet", ex);
			return null;
		}
	}

	private @Nullable ZooKeeperSession adopt(ZooKeeper zooKeeper) {
		this.lock.lock();
		try {
			ZooKeeperSession session = this.current;
			if (!zooKeeper.getState().isConnected()) {
				return null;
			}
			if (session == null || !session.isOf(zooKeeper)) {
				session = new ZooKeeperSession(zooKeeper, this.client.getNamespace(), this.clock);
				this.current = session;
				// Answered before whatever is sent next.
				session.beat();
			}
			return session;
		}
		finally {
			this.lock.unlock();
		}
	}

	/** Wait for an answer. An interrupt does not cut it short: the flag is kept. */
	<T> T await(CompletableFuture<T> reply, String what) {
		try {
			return uninterruptibly(reply);
		}
		catch (TimeoutException ex) {
			throw ZooKeeperFailures.silent(what, servers(), this.patience);
		}
		catch (ExecutionException ex) {
			throw failed(what, (ex.getCause() != null) ? ex.getCause() : ex);
		}
	}

	LockBackendException failed(String what, Throwable cause) {
		return ZooKeeperFailures.failed(what, servers(), cause);
	}

	private <T> T uninterruptibly(CompletableFuture<T> reply) throws ExecutionException, TimeoutException {
		boolean interrupted = false;
		long start = this.clock.nanoTime();
		try {
			while (true) {
				try {
					long left = this.patience.toNanos() - (this.clock.nanoTime() - start);
					return reply.get(Math.max(left, 0), TimeUnit.NANOSECONDS);
				}
				catch (InterruptedException ex) {
					interrupted = true;
				}
			}
		}
		finally {
			if (interrupted) {
				Thread.currentThread().interrupt();
			}
		}
	}

	private String servers() {
		return this.client.getZookeeperClient().getCurrentConnectionString();
	}

	/** Ask the leader whether the session lives, and see to it that this is repeated. */
	private void beat() {
		long pause = NO_SESSION_PAUSE_NANOS;
		try {
			ZooKeeperSession session = this.current;
			if (session != null && !session.isAlive()) {
				tell(Events::inDoubt);
			}
			session = connectedSession();
			if (session != null) {
				session.beat();
				pause = session.untilNextBeatNanos();
				tell(Events::stillConnected);
			}
		}
		catch (Throwable ex) {
			logger.warn("The session with ZooKeeper could not be examined; it is tried again: " + ex.getMessage(), ex);
		}
		finally {
			later(this::beat, pause);
		}
	}

	/** On the client's event thread, in order with the answers to commands. */
	private void eventReceived(CuratorFramework source, CuratorEvent event) {
		if (event.getType() == CuratorEventType.WATCHED && event.getWatchedEvent() != null
				&& event.getWatchedEvent().getState() == Watcher.Event.KeeperState.Disconnected) {
			this.disconnects.incrementAndGet();
		}
	}

	private void connectionChanged(CuratorFramework source, ConnectionState state) {
		switch (state) {
			case CONNECTED, RECONNECTED -> {
				ZooKeeperSession before = this.told;
				ZooKeeperSession session = connectedSession();
				if (session != null) {
					session.reconnected();
					session.beat();
				}
				this.told = session;
				this.connected.complete(true);
				tell((events) -> events.connected(before != session));
			}
			case SUSPENDED, LOST -> {
				if (this.connected.isDone()) {
					this.connected = new CompletableFuture<>();
				}
				tell(Events::inDoubt);
			}
			default -> logger.debug("ZooKeeper can be read only");
		}
	}

	private void tell(Consumer<Events> what) {
		Open now = this.open;
		if (now != null) {
			what.accept(now.events());
		}
	}

	/** Who is told of the session. */
	interface Events {

		/** The session may end, or has ended. */
		void inDoubt();

		/** There is a connection, as there was some time ago. */
		void stillConnected();

		/**
		 * There is a connection again.
		 * @param anew whether it is of a new session
		 */
		void connected(boolean anew);

	}

	private record Open(Events events, ScheduledThreadPoolExecutor timers) {
	}

}
