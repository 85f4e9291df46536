package io.github.distlock.backend.jdbc;

import java.lang.reflect.Method;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;

import io.github.distlock.LockBackendException;
import io.github.distlock.backend.StoreCalls;
import io.github.distlock.backend.TimeSource;
import io.github.distlock.thread.LockLog;
import io.github.distlock.thread.LockThreads;
import io.github.distlock.thread.TimerThread;
import org.apache.commons.logging.Log;
import org.jspecify.annotations.Nullable;

import org.springframework.dao.DataAccessException;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/**
 * Runs short commands, each on a connection of its own and within one command time-out,
 * from the wait for its turn to the last answer.
 * <p>
 * The thread of the caller sends a command if its turn comes at once, which saves two
 * thread switches, but only where an interrupt of it does not end the connection: plain
 * sockets ignore that of a platform thread. A channel, for example that of an embedded
 * database, is closed by it; so is a socket that a virtual thread uses. Otherwise a
 * thread of the store sends. So no caller waits longer than its time-out if the pool is
 * exhausted. The threads are daemons and end when idle.
 */
final class JdbcCommands {

	private static final Log logger = LockLog.of(JdbcCommands.class);

	private static final @Nullable Method IS_VIRTUAL = ClassUtils.getMethodIfAvailable(Thread.class, "isVirtual");

	/** How often a command is sent if it collides with another transaction. */
	private static final int MAX_SENDS = 4;

	/** Minimum interval between reports that connections break. */
	private static final long REPORT_NANOS = Duration.ofSeconds(5).toNanos();

	private final LockPool pool;

	/** Whether the thread of a caller may send, unless it is virtual. */
	private final boolean plainSockets;

	private final JdbcBackendSettings settings;

	final TimeSource clock;

	private final Duration timeout;

	/** Without this time left nothing is sent, and no caller waits on its own thread. */
	private final long marginNanos;

	/**
	 * All connections but one, which serves releases and renewals. A permit is returned
	 * after the connection.
	 */
	private final Semaphore attempts;

	private final ThreadPoolExecutor workers;

	private final LockThreads timerThreads = LockThreads.numbered("distlock-jdbc-timer-");

	/** One for each periodic task: a task may block. */
	private final List<TimerThread> timers = new CopyOnWriteArrayList<>();

	private final Runnable onBreak;

	/** Not before this time {@link #onBreak} is called. */
	private final AtomicLong notBeforeNanos;

	/**
	 * Create the commands of a store.
	 * @param onBreak is called when a command has failed because its connection broke:
	 * another server, or one without its data, may answer the next command
	 */
	JdbcCommands(LockPool pool, int threads, int attempts, JdbcBackendSettings settings, TimeSource clock,
			Runnable onBreak) {
		this.onBreak = onBreak;
		this.notBeforeNanos = new AtomicLong(clock.nanoTime());
		this.pool = pool;
		this.plainSockets = pool.isPlain();
		this.settings = settings;
		this.clock = clock;
		this.timeout = settings.commandTimeout();
		this.marginNanos = this.timeout.toNanos() / 8;
		this.attempts = new Semaphore(attempts, true);
		this.workers = new ThreadPoolExecutor(threads, threads, 10, TimeUnit.SECONDS, new LinkedBlockingQueue<>(),
				LockThreads.numbered("distlock-jdbc-"));
		this.workers.allowCoreThreadTimeOut(true);
	}

	/**
	 * Run a command and wait for it.
	 * @param action the name of the command in messages
	 * @param key the key of the lock in messages, if it has one
	 */
	<T> T run(Kind kind, String action, @Nullable String key, Work<T> work) {
		JdbcCommand<T> command = new JdbcCommand<>(action, key, work, this.clock.nanoTime() + this.timeout.toNanos(),
				new AtomicBoolean(Thread.interrupted()));
		try {
			if (kind == Kind.HOLDER) {
				return run(command, () -> {
				});
			}
			awaitTurn(command);
			return run(command, this.attempts::release);
		}
		finally {
			if (command.interrupted.get()) {
				Thread.currentThread().interrupt();
			}
		}
	}

	private void awaitTurn(JdbcCommand<?> command) {
		while (true) {
			try {
				if (this.attempts.tryAcquire(remaining(command), TimeUnit.NANOSECONDS)) {
					return;
				}
				throw noAnswer(command.action, command.key, null);
			}
			catch (InterruptedException ex) {
				command.interrupted.set(true);
			}
		}
	}

	/**
	 * Calls {@code end} when the connection has been returned, also after an error at any
	 * step.
	 */
	private <T> T run(JdbcCommand<T> command, Runnable end) {
		CompletableFuture<T> answer = null;
		try {
			boolean early = remaining(command) >= this.timeout.toNanos() - this.marginNanos;
			if (early && callerSends()) {
				return execute(command);
			}
			answer = submit(() -> execute(command));
			return await(answer, Duration.ofNanos(Math.max(0, remaining(command))), command.action, command.key);
		}
		finally {
			if (answer == null) {
				end.run();
			}
			else {
				answer.whenComplete((value, failure) -> end.run());
			}
		}
	}

	private boolean callerSends() {
		return this.plainSockets && (IS_VIRTUAL == null
				|| !Boolean.TRUE.equals(ReflectionUtils.invokeMethod(IS_VIRTUAL, Thread.currentThread())));
	}

	/**
	 * Send a command. It is sent again if it had no effect because of a collision, and
	 * once if the session had ended.
	 */
	private <T> T execute(JdbcCommand<T> command) {
		boolean lost = false;
		for (int sends = 1;; sends++) {
			try (LockConnection connection = this.pool.open(Duration.ofNanos(remaining(command)))) {
				if (remaining(command) < this.marginNanos) {
					throw noAnswer(command.action, command.key, null);
				}
				connection.repeats = lost;
				return command.work.run(connection, this.clock.now());
			}
			catch (SQLException ex) {
				broken(JdbcExceptionTranslator.isDatabaseFailure(ex));
				// There is no connection. Only the thread of a caller is interrupted.
				if (!Thread.interrupted() || remaining(command) < this.marginNanos) {
					throw noAnswer(command.action, command.key, ex);
				}
				command.interrupted.set(true);
			}
			catch (DataAccessException ex) {
				boolean loss = JdbcExceptionTranslator.isDatabaseFailure(ex);
				broken(loss);
				boolean again = JdbcExceptionTranslator.isCollision(ex) || (loss && !lost);
				if (!again || sends >= MAX_SENDS || remaining(command) < this.marginNanos) {
					throw JdbcExceptionTranslator.translate(this.settings, this.pool.script(), command.action,
							command.key, ex);
				}
				lost |= loss;
			}
		}
	}

	private void broken(boolean connectionLost) {
		long notBefore = this.notBeforeNanos.get();
		long now = this.clock.nanoTime();
		if (connectionLost && now - notBefore >= 0
				&& this.notBeforeNanos.compareAndSet(notBefore, now + REPORT_NANOS)) {
			this.onBreak.run();
		}
	}

	private LockBackendException noAnswer(String action, @Nullable String key, @Nullable Throwable cause) {
		return this.workers.isShutdown() ? StoreCalls.closed("JDBC") : this.pool.noAnswer(action, key, cause);
	}

	private long remaining(JdbcCommand<?> command) {
		return command.deadlineNanos - this.clock.nanoTime();
	}

	/**
	 * Run a task that opens a connection of its own, on the thread of the caller if that
	 * may send, otherwise on one of the store. Never fails: the future does.
	 */
	<T> CompletableFuture<T> start(Supplier<T> task) {
		return callerSends() ? CompletableFuture.supplyAsync(task, Runnable::run) : submit(task);
	}

	/** Run a task on a thread of the store. Never fails: the future does. */
	<T> CompletableFuture<T> submit(Supplier<T> task) {
		try {
			return CompletableFuture.supplyAsync(task, this.workers);
		}
		catch (RejectedExecutionException | OutOfMemoryError ex) {
			return CompletableFuture.failedFuture(ex);
		}
	}

	/** Run a task periodically, on a thread that may wait for the other threads. */
	void every(Duration period, Runnable task) {
		TimerThread timer = new TimerThread(this.timerThreads);
		this.timers.add(timer);
		timer.repeat(period.toNanos(), () -> {
			try {
				task.run();
			}
			catch (RuntimeException ex) {
				logger.debug("A periodic task of the JDBC lock store failed and will be repeated", ex);
			}
		});
	}

	/** Wait for an answer for a command time-out, or throw the translated failure. */
	<T> T await(CompletableFuture<T> answer, String action, @Nullable String key) {
		return await(answer, this.timeout, action, key);
	}

	private <T> T await(CompletableFuture<T> answer, Duration limit, String action, @Nullable String key) {
		try {
			return StoreCalls.awaitUninterruptibly(answer, limit, this.clock);
		}
		catch (TimeoutException ex) {
			throw noAnswer(action, key, null);
		}
		catch (ExecutionException ex) {
			throw this.workers.isShutdown() ? noAnswer(action, key, ex) : JdbcExceptionTranslator
				.translate(this.settings, this.pool.script(), action, key, StoreCalls.unwrap(ex));
		}
	}

	/** Send nothing from now on, and let the threads end. */
	void stop() {
		this.timers.forEach(TimerThread::stop);
		this.workers.shutdown();
	}

	/**
	 * The kinds of commands.
	 */
	enum Kind {

		/**
		 * A release, for which others wait, or a renewal, without which a lock is lost.
		 */
		HOLDER,

		/** Everything else. */
		ATTEMPT

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

	/**
	 * A command that waits for a connection and then runs on it.
	 *
	 * @param deadlineNanos when its time ends, by the monotonic clock
	 * @param interrupted whether the thread of the caller was interrupted meanwhile
	 */
	private record JdbcCommand<T>(String action, @Nullable String key, Work<T> work, long deadlineNanos,
			AtomicBoolean interrupted) {
	}

}
