package io.github.distlock.backend.zookeeper;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.ReentrantLock;

import io.github.distlock.backend.TimeSource;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.imps.CuratorFrameworkState;
import org.apache.zookeeper.ZooKeeper;
import org.jspecify.annotations.Nullable;

/**
 * The session of the application's client. It outlives the stores of a backend: a lock
 * that is held when its store is closed stays valid while a later store of the same
 * backend confirms the session, and can still be released. Thread-safe.
 */
final class ClientSession {

	private static final Log logger = LogFactory.getLog(ClientSession.class);

	private final CuratorFramework client;

	private final TimeSource clock;

	private final ReentrantLock lock = new ReentrantLock();

	/** Guarded by {@link #lock} for writing. */
	private volatile @Nullable ZooKeeperSession current;

	/** Completes when there is a connection. Guarded by {@link #lock} for writing. */
	private volatile CompletableFuture<Boolean> connected = new CompletableFuture<>();

	ClientSession(CuratorFramework client, TimeSource clock) {
		this.client = client;
		this.clock = clock;
	}

	/** The last session, whether or not it is connected. */
	@Nullable ZooKeeperSession last() {
		return this.current;
	}

	/** Completes when the client is connected, as far as a store has observed it. */
	CompletableFuture<Boolean> connected() {
		return this.connected;
	}

	/** An open store has observed whether the client is connected. */
	void observed(boolean isConnected) {
		CompletableFuture<Boolean> observed;
		this.lock.lock();
		try {
			if (!isConnected && this.connected.isDone()) {
				this.connected = new CompletableFuture<>();
			}
			observed = this.connected;
		}
		finally {
			this.lock.unlock();
		}
		if (isConnected) {
			// Without the lock: commands that wait for a connection are sent now.
			observed.complete(true);
		}
	}

	/** The session if it is connected, without waiting. */
	@Nullable ZooKeeperSession ifConnected() {
		ZooKeeperSession session = this.current;
		if (session != null && session.isConnected()) {
			return session;
		}
		if (this.client.getState() != CuratorFrameworkState.STARTED
				|| !this.client.getZookeeperClient().isConnected()) {
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

	private @Nullable ZooKeeperSession sessionOf(ZooKeeper zooKeeper) {
		this.lock.lock();
		try {
			ZooKeeperSession session = this.current;
			if (!zooKeeper.getState().isConnected()) {
				return null;
			}
			if (session == null || !session.isOf(zooKeeper)) {
				session = new ZooKeeperSession(this.client, zooKeeper, this.clock);
				this.current = session;
				// Sent, and so answered, before all other commands of the session.
				session.confirm();
			}
			return session;
		}
		finally {
			this.lock.unlock();
		}
	}

}
