package io.github.distlock.environment;

import java.util.concurrent.ExecutorService;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

import io.github.distlock.thread.LockThreads;

/**
 * The threads of one run of a registry.
 *
 * @param commands send commands that no caller sends, if the store blocks, each for one
 * command time-out at most, or if too many would be nested
 * @param renewals separate from the others, so that renewals never queue behind commands
 * of waiters
 * @param callbacks for the futures of callers, for loss callbacks and for listeners: code
 * of the application, which may block. While callbacks wait, more threads are started
 * @param timers passes work to the others at its time
 */
public record EngineThreads(ExecutorService commands, ExecutorService renewals, ExecutorService callbacks,
		ScheduledExecutorService timers) {

	private static final int COMMAND_THREADS = 4;

	private static final int RENEWAL_THREADS = 2;

	private static final int CALLBACK_THREADS = 2;

	private static final int MOST_CALLBACK_THREADS = 256;

	/** How often it is checked whether callbacks wait for a thread. */
	private static final long CALLBACK_CHECK_MILLIS = 500;

	private static final long IDLE_THREAD_SECONDS = 30;

	/**
	 * Return how many timers are set, for reports.
	 * @return the number, zero if the timers do not know it
	 */
	public int timersSet() {
		return (this.timers instanceof ScheduledThreadPoolExecutor pool) ? pool.getQueue().size() : 0;
	}

	static EngineThreads create() {
		ScheduledThreadPoolExecutor timers = new ScheduledThreadPoolExecutor(1,
				LockThreads.numbered("distlock-timer-"));
		timers.setRemoveOnCancelPolicy(true);
		// A thread that is started later may fail to start, and nothing would set the
		// timer again.
		timers.prestartCoreThread();
		timers.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
		ThreadPoolExecutor callbacks = pool(CALLBACK_THREADS, MOST_CALLBACK_THREADS, "distlock-callback-");
		checkCallbacks(callbacks, timers);
		return new EngineThreads(pool(COMMAND_THREADS, COMMAND_THREADS, "distlock-io-"),
				pool(RENEWAL_THREADS, RENEWAL_THREADS, "distlock-renewal-"), callbacks, timers);
	}

	/** Double the number of threads while callbacks wait. */
	private static void checkCallbacks(ThreadPoolExecutor callbacks, ScheduledExecutorService timers) {
		// First: the start of a thread may fail, and the next check tries again.
		timers.schedule(() -> checkCallbacks(callbacks, timers), CALLBACK_CHECK_MILLIS, TimeUnit.MILLISECONDS);
		callbacks.setCorePoolSize(callbacks.getQueue().isEmpty() ? CALLBACK_THREADS
				: Math.min(2 * Math.max(callbacks.getPoolSize(), CALLBACK_THREADS), MOST_CALLBACK_THREADS));
	}

	private static ThreadPoolExecutor pool(int threads, int mostThreads, String prefix) {
		ThreadPoolExecutor pool = new ThreadPoolExecutor(threads, mostThreads, IDLE_THREAD_SECONDS, TimeUnit.SECONDS,
				new LinkedBlockingQueue<>(), LockThreads.numbered(prefix));
		pool.allowCoreThreadTimeOut(true);
		return pool;
	}

}
