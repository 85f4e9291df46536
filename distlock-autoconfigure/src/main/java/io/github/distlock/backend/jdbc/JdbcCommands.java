package io.github.distlock.backend.jdbc;

import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;

import io.github.distlock.LockBackendException;
import io.github.distlock.backend.TimeSource;
import org.jspecify.annotations.Nullable;

/**
 * Runs short commands, each on a connection that it takes for itself and gives back.
 */
final class JdbcCommands {

	private static final int MAX_SENDS = 4;

	private final ConnectionSource source;

	private final StoreThreads threads;

	private final TimeSource clock;

	private final Duration timeout;

	JdbcCommands(ConnectionSource source, StoreThreads threads, Duration timeout, TimeSource clock) {
		this.source = source;
		this.threads = threads;
		this.timeout = timeout;
		this.clock = clock;
	}

	/**
	 * Run a command and wait for it. It may run several times, if it had no effect.
	 * @param what the verb, for the message
	 * @param key the lock, for the message
	 * @param transaction whether its statements belong together
	 */
	<T> T run(String what, @Nullable String key, boolean transaction, Work<T> work) {
		AtomicReference<Phase> phase = new AtomicReference<>(Phase.CONNECTING);
		CompletableFuture<Boolean> connected = new CompletableFuture<>();
		CompletableFuture<T> result = this.threads.submit(() -> {
			try (StoreConnection connection = this.source.open(transaction)) {
				if (!phase.compareAndSet(Phase.CONNECTING, Phase.RUNNING)) {
					throw this.source.noConnection(what, key, null);
				}
				connected.complete(true);
				return send(connection, transaction, work);
			}
			catch (SQLException ex) {
				throw (phase.get() == Phase.RUNNING) ? ex : this.source.noConnection(what, key, ex);
			}
		});
		result.whenComplete((value, failure) -> connected.complete(false));
		if (!this.threads.await(connected, this.timeout) && phase.compareAndSet(Phase.CONNECTING, Phase.ABANDONED)) {
			throw this.source.noConnection(what, key, null);
		}
		if (!this.threads.await(result, this.timeout.multipliedBy(3).plusSeconds(1))) {
			throw new LockBackendException("The database did not answer the " + what + JdbcFailures.lock(key)
					+ " in time: check its load, and distlock.jdbc.command-timeout");
		}
		return StoreThreads.result(result, what, key);
	}

	private <T> T send(StoreConnection connection, boolean transaction, Work<T> work) throws SQLException {
		if (transaction) {
			connection.begin();
		}
		for (int sends = 1;; sends++) {
			try {
				T value = work.on(connection, this.source.script(), this.clock.now());
				if (transaction) {
					connection.commit();
				}
				return value;
			}
			catch (SQLException ex) {
				if (!JdbcDialect.isCollision(ex) || sends == MAX_SENDS) {
					throw ex;
				}
				if (transaction) {
					connection.rollback();
				}
			}
		}
	}

	private enum Phase {

		CONNECTING, RUNNING, ABANDONED

	}

	/**
	 * What to do with a connection.
	 */
	interface Work<T> {

		/**
		 * Do it.
		 * @param sent a moment before anything was sent
		 */
		T on(StoreConnection connection, SqlScript script, TimeSource.Instant sent) throws SQLException;

	}

}
