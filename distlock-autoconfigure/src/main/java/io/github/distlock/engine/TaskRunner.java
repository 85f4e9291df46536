package io.github.distlock.engine;

import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

import io.github.distlock.environment.EngineEnvironment;
import io.github.distlock.environment.EngineThreads;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * Passes tasks to the executors and to the timers of the registry. Each may reject a
 * task, because a thread cannot be started for example. Only callbacks are not lost then,
 * not even after a shutdown. What else a key needs the sweep does. Thread-safe.
 */
public final class TaskRunner {

	private static final Log logger = LogFactory.getLog(TaskRunner.class);

	private static final long SWEEP_NANOS = Duration.ofSeconds(1).toNanos();

	private final Executor executor;

	private final ScheduledExecutorService timers;

	private final Executor callbacks;

	private final EngineEnvironment environment;

	TaskRunner(EngineThreads threads, EngineEnvironment environment) {
		this.executor = threads.commands();
		this.callbacks = threads.callbacks();
		this.timers = threads.timers();
		this.environment = environment;
	}

	/** Run a task that does not block every second, until the shutdown. */
	void sweep(Runnable task) {
		this.timers.scheduleWithFixedDelay(logging(task), SWEEP_NANOS, SWEEP_NANOS, TimeUnit.NANOSECONDS);
	}

	/**
	 * Run code of the application, once and never on this thread, which may be one of the
	 * driver: the code may wait for an answer that this thread has to bring. After a
	 * shutdown it runs on a new thread.
	 * @param callback the code
	 */
	public void callBack(Runnable callback) {
		try {
			this.callbacks.execute(callback);
		}
		catch (RejectedExecutionException ex) {
			this.environment.startThread("distlock-late-callback", callback);
		}
		catch (Error ex) {
			// No thread could be started. The timers have one.
			logging(() -> schedule(() -> callBack(callback), SWEEP_NANOS)).run();
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
			return this.timers.schedule(logging(task), delayNanos, TimeUnit.NANOSECONDS);
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

}
