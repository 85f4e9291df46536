package io.github.distlock.backend.jdbc;

import java.util.concurrent.CompletableFuture;

import io.github.distlock.backend.TimeSource;
import org.jspecify.annotations.Nullable;

import org.springframework.dao.DataAccessException;

/**
 * A command that waits for a connection and then runs on it. Its {@link #result} is
 * always completed, whatever happens.
 *
 * @param <T> type of the result
 */
final class JdbcCommand<T> {

	/** How often a command is sent if it collides with another transaction. */
	private static final int MAX_SENDS = 4;

	final Kind kind;

	final String action;

	final @Nullable String key;

	final CompletableFuture<T> result = new CompletableFuture<>();

	/** Completed when the command has a connection, or fails without one. */
	final CompletableFuture<Boolean> connected = new CompletableFuture<>();

	private final Work<T> work;

	/** Why the pool has provided no connection, if known. */
	volatile @Nullable Throwable poolFailure;

	/** Whether the caller has given up. Guarded by the lock of {@link JdbcExecutor}. */
	boolean abandoned;

	JdbcCommand(Kind kind, String action, @Nullable String key, Work<T> work) {
		this.kind = kind;
		this.action = action;
		this.key = key;
		this.work = work;
		this.result.whenComplete((value, failure) -> this.connected.complete(false));
	}

	/**
	 * Run the command.
	 * @return completes the result; to be called after the connection has been returned
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
				return (this.kind == Kind.MAINTENANCE) ? connection.inTransaction(() -> this.work.run(connection, sent))
						: this.work.run(connection, sent);
			}
			catch (DataAccessException ex) {
				if (!JdbcExceptionTranslator.isCollision(ex) || sends == MAX_SENDS || connection.wasOverdue()) {
					throw ex;
				}
			}
		}
	}

	void fail(Throwable failure) {
		this.result.completeExceptionally(failure);
	}

	/**
	 * The kinds of commands, in the order in which they get connections.
	 */
	enum Kind {

		/**
		 * A release, for which others wait, or a renewal, without which a lock is lost.
		 */
		HOLDER,

		/** An attempt to get a lock. */
		ATTEMPT,

		/**
		 * Maintenance of the table. Runs in a transaction, never on a reserved
		 * connection.
		 */
		MAINTENANCE

	}

	/**
	 * The statements of a command. They are repeated if they had no effect because of a
	 * collision.
	 *
	 * @param <T> type of the result
	 */
	interface Work<T> {

		/**
		 * Run the statements.
		 * @param connection the connection to use
		 * @param sent a moment before the first statement is sent
		 */
		T run(LockConnection connection, TimeSource.Instant sent);

	}

}
