package io.github.distlock.backend.jdbc;

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
import io.github.distlock.backend.TimeSource;
import io.github.distlock.thread.LockThreads;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * The threads of the store. All that may block in a driver or a pool runs here, so that
 * an interrupt of a caller breaks no connection, and a pool that has none left keeps no
 * caller for long. Daemons, which end when idle.
 */
final class JdbcThreads {

	private static final Log logger = LogFactory.getLog(JdbcThreads.class);

	private final ThreadPoolExecutor workers;

	private final ScheduledThreadPoolExecutor timer;

	private final TimeSource clock;

	JdbcThreads(int size, TimeSource clock) {
		this.clock = clock;
		this.workers = new ThreadPoolExecutor(size, size, 10, TimeUnit.SECONDS, new LinkedBlockingQueue<>(),
				LockThreads.numbered("distlock-jdbc-"));
		this.workers.allowCoreThreadTimeOut(true);
		this.timer = new ScheduledThreadPoolExecutor(2, LockThreads.numbered("distlock-jdbc-timer-"));
	}

	/** Do something now. */
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
			// As when no thread can be started: a caller that waits must get the error.
			result.completeExceptionally(ex);
		}
		return result;
	}

	/**
	 * Do something now. Throws what keeps it from running, an {@link Error} included.
	 */
	void execute(Runnable task) {
		try {
			this.workers.execute(task);
		}
		catch (RejectedExecutionException ex) {
			throw stopped();
		}
	}

	/** Do something again and again, not on one of the workers: it may wait for them. */
	void every(Duration period, Runnable task) {
		this.timer.scheduleWithFixedDelay(() -> quietly(task), period.toMillis(), period.toMillis(),
				TimeUnit.MILLISECONDS);
	}

	/** A task that throws would not be run again. */
	private static void quietly(Runnable task) {
		try {
			task.run();
		}
		catch (Throwable ex) {
			logger.warn("A periodic task of the JDBC lock store failed and is tried again", ex);
		}
	}

	/**
	 * Wait for something, whatever happens to this thread; an interrupt is kept.
	 * @return whether it is done
	 */
	boolean await(CompletableFuture<?> something, Duration limit) {
		boolean interrupted = Thread.interrupted();
		long deadline = this.clock.nanoTime() + limit.toNanos();
		try {
			while (true) {
				try {
					something.get(deadline - this.clock.nanoTime(), TimeUnit.NANOSECONDS);
					return true;
				}
				catch (ExecutionException ex) {
					return true;
				}
				catch (TimeoutException ex) {
					return false;
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

	/** Return what is done, or throw what became of it. */
	static <T> T result(CompletableFuture<T> done, String what, @Nullable String key) {
		try {
			return done.join();
		}
		catch (CompletionException ex) {
			throw JdbcExceptionTranslator.translate(what, key, (ex.getCause() != null) ? ex.getCause() : ex);
		}
	}

	void stop() {
		this.timer.shutdownNow();
		this.workers.shutdown();
	}

	static LockBackendException stopped() {
		return new LockBackendException("The JDBC lock store is not running: it works from the start of the"
				+ " application context until its shutdown");
	}

}
