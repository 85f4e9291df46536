package io.github.distlock.backend.jdbc;

import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

import io.github.distlock.LockBackendException;
import io.github.distlock.backend.StoreCalls;
import io.github.distlock.backend.TimeSource;
import io.github.distlock.backend.jdbc.JdbcBackendSettings.TableNames;
import io.github.distlock.thread.LockThreads;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * The threads of the store. Every call that may block in a pool runs here, and every call
 * that may block in a driver unless {@link CallerThreads} lets a caller make it. So an
 * interrupt of a caller breaks no connection, and no caller waits longer than its
 * time-out if the pool is exhausted. The threads are daemons and end when idle.
 */
final class JdbcThreads {

	private static final Log logger = LogFactory.getLog(JdbcThreads.class);

	/** One for each periodic task of the mode {@code lease}: a task may block. */
	private static final int TIMERS = 3;

	private static final int CANCELLERS = 4;

	private final ThreadPoolExecutor workers;

	private final ScheduledThreadPoolExecutor timer;

	/**
	 * Sends requests to cancel. A server that does not answer blocks these threads for as
	 * long as its driver waits for a connection, but no caller.
	 */
	private final ThreadPoolExecutor canceller;

	private final TableNames tables;

	private final TimeSource clock;

	JdbcThreads(int size, TableNames tables, TimeSource clock) {
		this.tables = tables;
		this.clock = clock;
		this.workers = new ThreadPoolExecutor(size, size, 10, TimeUnit.SECONDS, new LinkedBlockingQueue<>(),
				LockThreads.numbered("distlock-jdbc-"));
		this.workers.allowCoreThreadTimeOut(true);
		this.canceller = new ThreadPoolExecutor(CANCELLERS, CANCELLERS, 10, TimeUnit.SECONDS,
				new LinkedBlockingQueue<>(), LockThreads.numbered("distlock-jdbc-cancel-"));
		this.canceller.allowCoreThreadTimeOut(true);
		this.timer = new ScheduledThreadPoolExecutor(TIMERS, LockThreads.numbered("distlock-jdbc-timer-"));
	}

	/** Run a task on a worker thread. */
	<T> CompletableFuture<T> submit(Callable<T> task) {
		CompletableFuture<T> result = new CompletableFuture<>();
		try {
			this.workers.execute(() -> {
				try {
					result.complete(task.call());
				}
				catch (Throwable ex) {
					result.completeExceptionally(ex);
				}
			});
		}
		catch (RejectedExecutionException ex) {
			result.completeExceptionally(stopped());
		}
		catch (Throwable ex) {
			// For example, no thread can be started: the waiting caller must get the
			// error.
			result.completeExceptionally(ex);
		}
		return result;
	}

	/** Cancel the wait of a transaction. */
	void cancel(RowTransaction transaction) {
		try {
			this.canceller.execute(() -> {
				try {
					transaction.cancel();
				}
				catch (SQLException ex) {
					logger.debug("A wait for a row could not be cancelled; it ends by itself", ex);
				}
			});
		}
		catch (RejectedExecutionException ex) {
			logger.trace("The wait for a row ends by itself, since the store is closed", ex);
		}
	}

	/** Run a task periodically, on a thread that may wait for worker threads. */
	void every(Duration period, Runnable task) {
		this.timer.scheduleWithFixedDelay(() -> quietly(task), period.toMillis(), period.toMillis(),
				TimeUnit.MILLISECONDS);
	}

	/** The scheduler would not repeat a task that throws. */
	private static void quietly(Runnable task) {
		try {
			task.run();
		}
		catch (Throwable ex) {
			logger.warn("A periodic task of the JDBC lock store failed and will be repeated", ex);
		}
	}

	/**
	 * Wait for a future without being interruptible. The interrupt status is kept.
	 * @return whether the future was completed in time
	 */
	boolean await(CompletableFuture<?> future, Duration timeout) {
		try {
			StoreCalls.awaitUninterruptibly(future, timeout, this.clock);
			return true;
		}
		catch (ExecutionException ex) {
			return true;
		}
		catch (TimeoutException ex) {
			return false;
		}
	}

	/** Return the result of a completed future, or throw the translated failure. */
	<T> T result(CompletableFuture<T> done, String action, @Nullable String key) {
		try {
			return done.join();
		}
		catch (CompletionException ex) {
			throw JdbcExceptionTranslator.translate(this.tables, action, key, StoreCalls.unwrap(ex));
		}
	}

	void stop() {
		this.timer.shutdownNow();
		this.canceller.shutdown();
		this.workers.shutdown();
	}

	static LockBackendException stopped() {
		return StoreCalls.closed("JDBC");
	}

}
