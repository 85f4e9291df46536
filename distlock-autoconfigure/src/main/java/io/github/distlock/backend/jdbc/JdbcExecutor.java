package io.github.distlock.backend.jdbc;

import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

import io.github.distlock.LockBackendException;
import io.github.distlock.backend.TimeSource;
import io.github.distlock.backend.jdbc.JdbcBackendSettings.TableNames;
import io.github.distlock.backend.jdbc.JdbcCommand.Kind;
import org.jspecify.annotations.Nullable;

import org.springframework.dao.DataAccessException;

/**
 * Runs short commands, each on a connection of its own and within one command time-out,
 * from the wait for its turn to the last answer. The thread of the caller sends a command
 * if its turn comes at once and {@link CallerThreads} allow it; otherwise a thread of the
 * store does.
 */
final class JdbcExecutor {

	/** How often a command is sent if it collides with another transaction. */
	private static final int MAX_SENDS = 4;

	private final LockPool pool;

	private final JdbcThreads threads;

	private final CallerThreads callers;

	private final TimeSource clock;

	private final TableNames tables;

	private final Duration timeout;

	/** Without this time left nothing is sent, and no caller waits on its own thread. */
	private final long marginNanos;

	/**
	 * All connections but one, which serves releases and renewals. A permit is returned
	 * after the connection.
	 */
	private final Semaphore attempts;

	private volatile boolean stopped;

	JdbcExecutor(LockPool pool, JdbcThreads threads, int attempts, JdbcBackendSettings settings, TimeSource clock) {
		this.pool = pool;
		this.threads = threads;
		this.callers = new CallerThreads(pool.isPlain());
		this.attempts = new Semaphore(attempts, true);
		this.tables = settings.tables();
		this.timeout = settings.commandTimeout();
		this.marginNanos = this.timeout.toNanos() / 8;
		this.clock = clock;
	}

	/** Send nothing from now on. */
	void stop() {
		this.stopped = true;
	}

	/**
	 * Run a command and wait for it.
	 * @param action the name of the command in messages
	 * @param key the key of the lock in messages, if it has one
	 */
	<T> T run(Kind kind, String action, @Nullable String key, JdbcCommand.Work<T> work) {
		JdbcCommand<T> command = new JdbcCommand<>(kind, action, key, work,
				this.clock.nanoTime() + this.timeout.toNanos());
		if (kind == Kind.HOLDER) {
			return run(command, () -> {
			});
		}
		if (!acquire(command)) {
			throw noConnection(command, null);
		}
		return run(command, this.attempts::release);
	}

	private boolean acquire(JdbcCommand<?> command) {
		boolean interrupted = false;
		try {
			while (true) {
				try {
					return this.attempts.tryAcquire(Math.max(0, remaining(command)), TimeUnit.NANOSECONDS);
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

	/** Calls {@code end} when the connection has been returned. */
	private <T> T run(JdbcCommand<T> command, Runnable end) {
		CompletableFuture<T> result = null;
		try {
			boolean early = remaining(command) >= this.timeout.toNanos() - this.marginNanos;
			if (early && this.callers.maySend()) {
				return executeHere(command);
			}
			result = this.threads.submit(() -> execute(command));
		}
		finally {
			if (result == null) {
				end.run();
			}
		}
		result.whenComplete((value, failure) -> end.run());
		if (!this.threads.await(result, Duration.ofNanos(Math.max(0, remaining(command))))) {
			throw command.abandon() ? noConnection(command, null)
					: JdbcExceptionTranslator.noAnswer(command.action, command.key);
		}
		return this.threads.result(result, command.action, command.key);
	}

	private <T> T executeHere(JdbcCommand<T> command) {
		boolean interrupted = Thread.interrupted();
		try {
			return execute(command);
		}
		catch (Throwable ex) {
			throw JdbcExceptionTranslator.translate(this.tables, command.action, command.key, ex);
		}
		finally {
			if (interrupted || command.interrupted) {
				Thread.currentThread().interrupt();
			}
		}
	}

	/**
	 * Send a command. It is sent again if it had no effect because of a collision, and
	 * once if the session had ended.
	 */
	private <T> T execute(JdbcCommand<T> command) {
		boolean lost = false;
		for (int sends = 1;; sends++) {
			try (LockConnection connection = connect(command)) {
				TimeSource.Instant sent = this.clock.now();
				return (command.kind == Kind.MAINTENANCE)
						? connection.inTransaction(() -> command.work.run(connection, sent))
						: command.work.run(connection, sent);
			}
			catch (DataAccessException ex) {
				boolean loss = JdbcExceptionTranslator.isDatabaseFailure(ex);
				if (loss) {
					this.pool.databaseFailed();
				}
				boolean again = JdbcExceptionTranslator.isCollision(ex)
						|| (loss && !lost && command.kind != Kind.MAINTENANCE);
				if (!again || sends == MAX_SENDS || remaining(command) < this.marginNanos) {
					throw ex;
				}
				lost |= loss;
				command.repeated = lost;
			}
		}
	}

	private LockConnection connect(JdbcCommand<?> command) {
		while (true) {
			if (this.stopped) {
				throw JdbcThreads.stopped();
			}
			LockConnection unused = null;
			try {
				LockConnection connection = this.pool.open(command.kind == Kind.MAINTENANCE,
						Duration.ofNanos(remaining(command)));
				unused = connection;
				if (remaining(command) >= this.marginNanos && command.begin()) {
					connection.repeats = command.repeated;
					unused = null;
					return connection;
				}
				throw noConnection(command, null);
			}
			catch (SQLException ex) {
				// Only the thread of a caller is interrupted, which waits for a
				// connection.
				if (!Thread.interrupted() || remaining(command) < this.marginNanos) {
					throw noConnection(command, ex);
				}
				command.interrupted = true;
			}
			finally {
				if (unused != null) {
					unused.close();
				}
			}
		}
	}

	private LockBackendException noConnection(JdbcCommand<?> command, @Nullable Throwable cause) {
		return this.stopped ? JdbcThreads.stopped() : this.pool.noConnection(command.action, command.key, cause);
	}

	private long remaining(JdbcCommand<?> command) {
		return command.deadlineNanos - this.clock.nanoTime();
	}

}
