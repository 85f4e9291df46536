package io.github.distlock.backend.jdbc;

import java.util.concurrent.atomic.AtomicReference;

import io.github.distlock.backend.TimeSource;
import org.jspecify.annotations.Nullable;

/**
 * A command that waits for a connection and then runs on it.
 *
 * @param <T> type of the result
 */
final class JdbcCommand<T> {

	final Kind kind;

	final String action;

	final @Nullable String key;

	final Work<T> work;

	/** When the time of the command ends, by the monotonic clock. */
	final long deadlineNanos;

	/**
	 * Whether a session was lost while it ran the command, which may have been executed.
	 */
	boolean repeated;

	/** Whether the thread that runs the command was interrupted meanwhile. */
	boolean interrupted;

	/** Whether it was sent or abandoned, as the first of the two threads has decided. */
	private final AtomicReference<@Nullable Boolean> sent = new AtomicReference<>();

	JdbcCommand(Kind kind, String action, @Nullable String key, Work<T> work, long deadlineNanos) {
		this.kind = kind;
		this.action = action;
		this.key = key;
		this.work = work;
		this.deadlineNanos = deadlineNanos;
	}

	/** Return whether the command may be sent: its caller has not given up before. */
	boolean begin() {
		return this.sent.compareAndSet(null, true) || Boolean.TRUE.equals(this.sent.get());
	}

	/** Give the command up. Returns whether it will never be sent. */
	boolean abandon() {
		return this.sent.compareAndSet(null, false);
	}

	/**
	 * The kinds of commands.
	 */
	enum Kind {

		/**
		 * A release, for which others wait, or a renewal, without which a lock is lost.
		 */
		HOLDER,

		/** An attempt to get a lock. */
		ATTEMPT,

		/** Maintenance of the table. Runs in a transaction. */
		MAINTENANCE

	}

	/**
	 * The statements of a command.
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
