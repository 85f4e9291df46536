package io.github.distlock.environment;

import java.util.concurrent.ExecutorService;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import io.github.distlock.thread.LockThreads;
import io.github.distlock.thread.LockTimers;
import io.github.distlock.thread.TimerThread;
import org.jspecify.annotations.Nullable;

/**
 * The threads of one run of a registry.
 *
 * @param commands send commands that no caller sends, if the store blocks, each for one
 * command time-out at most, or if too many would be nested
 * @param renewals separate from the others, so that renewals never queue behind commands
 * of waiters
 * @param callbacks for the futures of callers, for loss callbacks, for listeners and for
 * the log: code of the application, which may block. While callbacks wait, more threads
 * are started
 * @param timers passes work to the others at its time
 */
public record EngineThreads(ExecutorService commands, ExecutorService renewals, ExecutorService callbacks,
		LockTimers timers) {

	private static final int COMMAND_THREADS = 4;

	private static final int RENEWAL_THREADS = 2;

	private static final int CALLBACK_THREADS = 2;

	private static final int MOST_CALLBACK_THREADS = 256;

	/** How long a task waits at least before there are more threads for it. */
	private static final long CHECK_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

	private static final long IDLE_THREAD_SECONDS = 30;

	static EngineThreads create() {
		Pool commands = new Pool(COMMAND_THREADS, 2 * COMMAND_THREADS, LockThreads.numbered("distlock-io-"));
		Pool renewals = new Pool(RENEWAL_THREADS, 2 * RENEWAL_THREADS, LockThreads.numbered("distlock-renewal-"));
		Pool callbacks = new Pool(CALLBACK_THREADS, MOST_CALLBACK_THREADS, LockThreads.numbered("distlock-callback-"));
		LockTimers timers = new TimerThread(LockThreads.numbered("distlock-timer-"));
		Stream.of(commands, renewals, callbacks).forEach((pool) -> timers.repeat(CHECK_NANOS, pool::check));
		return new EngineThreads(commands, renewals, callbacks, timers);
	}

	/** Threads that end when they are idle. */
	static final class Pool extends ThreadPoolExecutor {

		private final int threads;

		private final int mostThreads;

		/** The task that waited longest at the last check. */
		private @Nullable Runnable oldest;

		Pool(int threads, int mostThreads, ThreadFactory factory) {
			super(threads, mostThreads, IDLE_THREAD_SECONDS, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), factory);
			this.threads = threads;
			this.mostThreads = mostThreads;
			allowCoreThreadTimeOut(true);
		}

		/**
		 * Double the number of threads while the same task is the next one as at the last
		 * check: all threads are blocked, or an error has ended some of them, and perhaps
		 * even the count of them is wrong.
		 */
		void check() {
			Runnable next = getQueue().peek();
			if (next == null) {
				setCorePoolSize(this.threads);
			}
			else if (next == this.oldest) {
				setCorePoolSize(Math.min(2 * Math.max(getPoolSize(), this.threads), this.mostThreads));
				prestartCoreThread();
			}
			this.oldest = next;
		}

	}

}
