package io.github.distlock.backend.jdbc;

import java.util.concurrent.CompletableFuture;

import io.github.distlock.backend.TimeSource;
import org.jspecify.annotations.Nullable;

import org.springframework.dao.DataAccessException;

/**
 * A command that waits for a connection, then runs on it. It has one result, whatever
 * happens.
 *
 * @param <T> type of the result
 */
final class JdbcCommand<T> {

	private static final int MAX_SENDS = 4;

	final Kind kind;

	final String what;

	final @Nullable String key;

	final CompletableFuture<T> result = new CompletableFuture<>();

	/** Done when it has a connection, or a result without one. */
	final CompletableFuture<Boolean> connected = new CompletableFuture<>();

	private final Work<T> work;

	/** Why the pool gave no connection, if it said so. */
	volatile @Nullable Throwable refusal;

	/** Whether its caller has given it up. Guarded by the lock of the queue. */
	boolean abandoned;

	JdbcCommand(Kind kind, String what, @Nullable String key, Work<T> work) {
		this.kind = kind;
		this.what = what;
		this.key = key;
		this.work = work;
		this.result.whenComplete((value, failure) -> this.connected.complete(false));
	}

	/**
	 * Run on a connection.
	 * @return what completes the result: call it when the connection has been given back
	 */
	Runnable run(LockConnection connection, TimeSource clock) {
		this.connected.complete(true);
		T value = send(connection, clock);
		return () -> this.result.complete(value);
	}

	private T send(LockConnection connection, TimeSource clock) {
		for (int sends = 1;; sends++) {
			try {
				TimeSource.Instant sent = clock.now();
				return (this.kind == Kind.MAINTENANCE) ? connection.inTransaction(() -> this.work.on(connection, sent))
						: this.work.on(connection, sent);
			}
			catch (DataAccessException ex) {
				if (!JdbcExceptionTranslator.isCollision(ex) || sends == MAX_SENDS) {
					throw ex;
				}
			}
		}
	}

	void fail(Throwable failure) {
		this.result.completeExceptionally(failure);
	}

	/**
	 * What depends on a command. The order is that in which commands get connections.
	 */
	enum Kind {

		/** Ends or lengthens a hold: others wait for it, or a lock would be lost. */
		HOLDER,

		/** Asks for a lock. */
		ATTEMPT,

		/** Looks after the table, in a transaction. Uses no reserved connection. */
		MAINTENANCE

	}

	/**
	 * What to do with a connection. It may be done several times, if it had no effect.
	 *
	 * @param <T> type of the result
	 */
	interface Work<T> {

		/**
		 * Do it.
		 * @param sent a moment before anything was sent
		 */
		T on(LockConnection connection, TimeSource.Instant sent);

	}

}
