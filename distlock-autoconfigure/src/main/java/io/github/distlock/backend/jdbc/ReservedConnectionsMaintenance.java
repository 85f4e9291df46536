package io.github.distlock.backend.jdbc;

import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;

import io.github.distlock.LockBackendException;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * Takes the connections of the {@link ReservedConnections} in the background, and tries
 * again every second while some are missing.
 */
final class ReservedConnectionsMaintenance {

	private static final Log logger = LogFactory.getLog(ReservedConnectionsMaintenance.class);

	private static final Duration PERIOD = Duration.ofSeconds(1);

	private final ReservedConnections reserve;

	private final LockDataSource source;

	private final JdbcThreads threads;

	private final ReservedConnectionCount size;

	/** Called when a connection may have become idle. */
	private final Runnable available;

	/** Done when all connections were there for the first time, or never will be. */
	private final CompletableFuture<Boolean> ready = new CompletableFuture<>();

	/** Done when all connections were there, or some could not be had. */
	private final CompletableFuture<Boolean> tried = new CompletableFuture<>();

	/** Whether a task takes connections: one at a time. */
	private final AtomicBoolean filling = new AtomicBoolean();

	private volatile @Nullable Exception lastFailure;

	ReservedConnectionsMaintenance(ReservedConnections reserve, LockDataSource source, JdbcThreads threads,
			ReservedConnectionCount size, Runnable available) {
		this.reserve = reserve;
		this.source = source;
		this.threads = threads;
		this.size = size;
		this.available = available;
	}

	/**
	 * Begin to take connections. Waits until they are there or cannot be had, since the
	 * application's first callers could take all of them; but not for long.
	 */
	void start(Duration timeout) {
		completed();
		if (this.ready.isDone() && this.reserve.size() == 0) {
			return;
		}
		this.threads.every(PERIOD, this::refill);
		refill();
		this.threads.await(this.tried, timeout);
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

	/** Whether attempts may be sent, now that all connections were there once. */
	private void completed() {
		if (this.reserve.isComplete() && this.ready.complete(true)) {
			this.size.report(this.reserve.size());
		}
	}

	/** Wait until attempts may be sent: not before every connection was there once. */
	void awaitReady(Duration timeout, String what, @Nullable String key) {
		if (!this.threads.await(this.ready, timeout)) {
			throw notReady(timeout, what, key);
		}
	}

	private LockBackendException notReady(Duration timeout, String what, @Nullable String key) {
		Exception cause = this.lastFailure;
		return new LockBackendException("The " + what + JdbcExceptionTranslator.lock(key) + " was not sent: within "
				+ timeout + " the lock store could not reserve its connections of " + this.source.describe()
				+ ((cause != null) ? " (" + JdbcExceptionTranslator.describe(cause) + ")" : "")
				+ ". Check that the database runs and that the application leaves connections in the pool, or change"
				+ " distlock.jdbc.reserved-connections", cause);
	}

	/**
	 * Give back a connection that was taken, or replace it.
	 * @param usable whether it can be used again
	 * @param database whether the database failed, so that no other one is to be used
	 */
	void takeBack(ReservedConnection connection, boolean usable, boolean database) {
		if (usable) {
			this.reserve.giveBack(connection);
		}
		else {
			this.reserve.drop(connection, database);
			refill();
		}
	}

	/** Take what is missing, in the background. */
	void refill() {
		if (!this.reserve.needsCare() || !this.filling.compareAndSet(false, true)) {
			return;
		}
		try {
			this.threads.execute(this::fill);
		}
		catch (Throwable ex) {
			// The next period tries again.
			this.filling.set(false);
			logger.debug("Connections for locks could not be reserved now", ex);
		}
	}

	private void fill() {
		Exception failure = null;
		try {
			keepAlive();
			while (this.reserve.isWanting()) {
				add(this.source.openReserved());
				completed();
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
			this.tried.complete(true);
		}
	}

	private void warn(@Nullable Exception failure) {
		if (failure != null && this.lastFailure == null && !this.reserve.isComplete()) {
			logger
				.warn("The connections for lock releases and renewals could not be taken from " + this.source.describe()
						+ " (" + JdbcExceptionTranslator.describe(failure) + "). This is tried again every second");
		}
	}

	/** Validate idle connections that were not used for long. */
	private void keepAlive() {
		for (ReservedConnection silent = this.reserve.takeSilent(); silent != null; silent = this.reserve
			.takeSilent()) {
			boolean alive = false;
			try {
				alive = this.reserve.validate(silent);
			}
			finally {
				if (alive) {
					this.reserve.giveBack(silent);
				}
				else {
					this.reserve.drop(silent, false);
				}
				// A command may wait for this connection.
				this.available.run();
			}
		}
	}

}
