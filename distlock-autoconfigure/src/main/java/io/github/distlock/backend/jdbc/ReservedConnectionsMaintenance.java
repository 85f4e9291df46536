package io.github.distlock.backend.jdbc;

import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;

import io.github.distlock.LockBackendException;
import io.github.distlock.backend.TimeSource;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * Takes and validates the {@link ReservedConnections} in the background, and tries again
 * every second while some are missing.
 */
final class ReservedConnectionsMaintenance {

	private static final Log logger = LogFactory.getLog(ReservedConnectionsMaintenance.class);

	private static final Duration PERIOD = Duration.ofSeconds(1);

	/** A statement may take by so much longer than a command may take. */
	private static final Duration WATCH_PERIOD = Duration.ofMillis(250);

	private final ReservedConnections reserve;

	private final LockDataSource dataSource;

	private final JdbcThreads threads;

	private final ReservedConnectionCount count;

	private final TimeSource clock;

	/** Called when a connection may have become available. */
	private final Runnable available;

	/** Completed when all connections were there for the first time, or at the end. */
	private final CompletableFuture<Boolean> ready = new CompletableFuture<>();

	/** Completed after the first attempt to take the connections. */
	private final CompletableFuture<Boolean> firstTry = new CompletableFuture<>();

	/** Whether a task takes connections; one at a time does. */
	private final AtomicBoolean filling = new AtomicBoolean();

	private volatile @Nullable Exception lastFailure;

	ReservedConnectionsMaintenance(ReservedConnections reserve, LockDataSource dataSource, JdbcThreads threads,
			ReservedConnectionCount count, TimeSource clock, Runnable available) {
		this.reserve = reserve;
		this.dataSource = dataSource;
		this.threads = threads;
		this.count = count;
		this.clock = clock;
		this.available = available;
	}

	/**
	 * Start to take connections. Waits until the first attempt has ended, since the first
	 * callers of the application could take all connections of the pool meanwhile.
	 * @param timeout how long to wait at most
	 */
	void start(Duration timeout) {
		checkComplete();
		if (this.ready.isDone() && this.reserve.size() == 0) {
			return;
		}
		this.threads.every(PERIOD, this::refill);
		this.threads.every(WATCH_PERIOD, this::watch);
		refill();
		this.threads.await(this.firstTry, timeout);
	}

	/** Return the connections to the pool. */
	void stop() {
		try {
			this.reserve.stop();
		}
		finally {
			this.ready.complete(false);
		}
	}

	/** Let attempts be sent as soon as all connections are there. */
	private void checkComplete() {
		if (this.reserve.isComplete() && this.ready.complete(true)) {
			this.count.report(this.reserve.size());
		}
	}

	/** Wait until all connections were there once. No attempt may be sent before. */
	void awaitReady(Duration timeout, String action, @Nullable String key) {
		if (!this.threads.await(this.ready, timeout)) {
			throw notReady(timeout, action, key);
		}
	}

	private LockBackendException notReady(Duration timeout, String action, @Nullable String key) {
		Exception cause = this.lastFailure;
		return new LockBackendException("The " + action + JdbcExceptionTranslator.lock(key) + " was not sent: within "
				+ timeout + " the lock store could not reserve its connections of " + this.dataSource.describe()
				+ ((cause != null) ? " (" + JdbcExceptionTranslator.describe(cause) + ")" : "")
				+ ". Check that the database runs and that the application leaves connections in the pool, or change"
				+ " distlock.jdbc.reserved-connections", cause);
	}

	/**
	 * Return a connection that was taken, or replace it.
	 * @param usable whether the connection can be used again
	 * @param databaseFailed whether no other connection can be used either
	 */
	void takeBack(ReservedConnection connection, boolean usable, boolean databaseFailed) {
		if (usable) {
			this.reserve.giveBack(connection);
		}
		else {
			this.reserve.drop(connection, databaseFailed);
			refill();
		}
	}

	/**
	 * Cancel statements that take too long, and replace connections that were not
	 * returned.
	 */
	private void watch() {
		for (ReservedConnection connection : this.reserve.lent()) {
			connection.connection.cancelOverdue();
			if (LentConnections.isLost(connection, this.clock.nanoTime())) {
				takeBack(connection, false, false);
			}
		}
	}

	/** Take missing connections in the background. */
	void refill() {
		if (!this.reserve.needsMaintenance() || !this.filling.compareAndSet(false, true)) {
			return;
		}
		try {
			this.threads.execute(this::fill);
		}
		catch (Throwable ex) {
			// The next period tries again.
			this.filling.set(false);
			logger.debug("No thread could be started to reserve connections for locks", ex);
		}
	}

	private void fill() {
		Exception failure = null;
		try {
			keepAlive();
			while (this.reserve.needsConnections()) {
				add(this.dataSource.openReserved());
				checkComplete();
				this.available.run();
			}
		}
		catch (SQLException | RuntimeException ex) {
			failure = ex;
		}
		finally {
			filled(failure);
		}
	}

	private void add(LockConnection connection) {
		try {
			this.reserve.add(connection);
		}
		catch (Throwable ex) {
			connection.discard();
			throw ex;
		}
	}

	private void filled(@Nullable Exception failure) {
		try {
			warn(failure);
		}
		finally {
			this.lastFailure = failure;
			this.filling.set(false);
			this.firstTry.complete(true);
		}
	}

	private void warn(@Nullable Exception failure) {
		if (failure != null && this.lastFailure == null && !this.reserve.isComplete()) {
			logger.warn("The connections for lock releases and renewals could not be taken from "
					+ this.dataSource.describe() + " (" + JdbcExceptionTranslator.describe(failure)
					+ "). The lock store tries again every second");
		}
	}

	/** Validate connections that have been idle for long. */
	private void keepAlive() {
		for (ReservedConnection connection = this.reserve.takeLongIdle(); connection != null; connection = this.reserve
			.takeLongIdle()) {
			boolean alive = false;
			try {
				alive = this.reserve.validate(connection);
			}
			finally {
				if (alive) {
					this.reserve.giveBack(connection);
				}
				else {
					this.reserve.drop(connection, false);
				}
				// A command may wait for this connection.
				this.available.run();
			}
		}
	}

}
