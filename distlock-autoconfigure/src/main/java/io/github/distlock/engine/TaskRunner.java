package io.github.distlock.engine;

import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;

import io.github.distlock.environment.EngineEnvironment;
import io.github.distlock.environment.EngineThreads;
import io.github.distlock.thread.LockLog;
import io.github.distlock.thread.LockTimers;
import org.apache.commons.logging.Log;
import org.jspecify.annotations.Nullable;

/**
 * Passes tasks to the executors and to the timers of the registry. Each may reject a
 * task, because a thread cannot be started for example. A rejected callback is never
 * lost, even after a shutdown. The sweep repeats everything else. Thread-safe.
 */
public final class TaskRunner {

	private static final Log logger = LockLog.of(TaskRunner.class);

	private static final long SWEEP_NANOS = Duration.ofSeconds(1).toNanos();

	private final Executor executor;

	private final LockTimers timers;

	private final Executor callbacks;

	private final EngineEnvironment environment;

	/** Those for which no thread could be started. The sweep passes them on. */
	private final Queue<Runnable> lateCallbacks = new ConcurrentLinkedQueue<>();

	final LockWarnings warnings = new LockWarnings();

	TaskRunner(EngineThreads threads, EngineEnvironment environment) {
		this.executor = threads.commands();
		this.callbacks = threads.callbacks();
		this.timers = threads.timers();
		this.environment = environment;
	}

	/** Run a task that does not block every second, until the shutdown. */
	void sweep(Runnable task) {
		Runnable sweep = logging(task);
		this.timers.repeat(SWEEP_NANOS, () -> {
			sweep.run();
			this.warnings.sweep();
			passLateCallbacks();
		});
	}

	/**
	 * Run code of the application, once and never on this thread, which may be one of the
	 * driver: the code may wait for an answer that this thread has to bring. After a
	 * shutdown it runs on a new thread.
	 * @param callback the code
	 */
	public void callBack(Runnable callback) {
		Once once = new Once(callback);
		try {
			this.callbacks.execute(once);
		}
		catch (RejectedExecutionException ex) {
			this.environment.startThread("distlock-late-callback", once);
		}
		catch (Error ex) {
			// No thread could be started, or there was no memory after it was queued.
			try {
				this.lateCallbacks.add(once);
			}
			catch (Error none) {
				// The caller has to try again, unless it has run.
				if (once.compareAndSet(false, true)) {
					throw none;
				}
			}
		}
	}

	/** What cannot be passed stays in the queue. Takes no memory here. */
	private void passLateCallbacks() {
		for (Runnable next = this.lateCallbacks.peek(); next != null; next = this.lateCallbacks.peek()) {
			this.callbacks.execute(next);
			this.lateCallbacks.poll();
		}
	}

	/**
	 * Run a task on the executor.
	 * @param task the task, which may block
	 * @return why the executor rejected it, although it may run nevertheless, or
	 * {@code null}
	 */
	public @Nullable Throwable execute(Runnable task) {
		try {
			this.executor.execute(task);
			return null;
		}
		catch (Throwable ex) {
			return ex;
		}
	}

	/**
	 * Run an event of a key on a thread that must not wait for the lock of the key, since
	 * other keys need the thread: that of a timer or of a driver.
	 * @param free whether the lock is free; otherwise the executor runs the event, unless
	 * it rejects it: no other event may take its place
	 */
	void onEvent(boolean free, Runnable event) {
		if (free || execute(logging(event)) != null) {
			event.run();
		}
	}

	/**
	 * Run a task that does not block after a delay.
	 * @param task the task
	 * @param delayNanos the delay
	 * @return its timer, or {@code null} if it was rejected, by a shutdown for example
	 */
	public @Nullable Future<?> schedule(Runnable task, long delayNanos) {
		try {
			return this.timers.schedule(logging(task), delayNanos);
		}
		catch (RejectedExecutionException ex) {
			return null;
		}
	}

	/** The boundary of timers and wake-ups: the sweep repeats what fails, if need be. */
	static Runnable logging(Runnable task) {
		return () -> {
			try {
				task.run();
			}
			catch (Throwable ex) {
				logger.error("A timer of the lock registry failed", ex);
			}
		};
	}

	/** A callback, which an executor may queue although it throws. */
	private static final class Once extends AtomicBoolean implements Runnable {

		private final transient Runnable callback;

		Once(Runnable callback) {
			this.callback = callback;
		}

		@Override
		public void run() {
			if (compareAndSet(false, true)) {
				this.callback.run();
			}
		}

	}

}
