package io.github.distlock.waiting;

import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

import io.github.distlock.LockBackendException;
import io.github.distlock.environment.EngineEnvironment;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * Passes tasks to the executors and to the timers of the registry. Each may reject a
 * task, because a thread cannot be started for example. Then the caller gets the reason,
 * or the task is passed on again later, so that no task is lost unless the registry has
 * been shut down. Callbacks are not even lost then. Thread-safe.
 */
final class TaskRunner {

	private static final Log logger = LogFactory.getLog(TaskRunner.class);

	private static final long RETRY_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

	private static final long RECOVERY_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

	/** How often tasks are scheduled again that the timers have rejected. */
	private static final long SWEEP_SECONDS = 1;

	private final Executor executor;

	private final ScheduledExecutorService timers;

	private final Executor callbacks;

	private final EngineEnvironment environment;

	/** Of the callbacks after a shutdown, which any thread may start. */
	private final @Nullable ClassLoader contextClassLoader = Thread.currentThread().getContextClassLoader();

	/**
	 * Callbacks that their executor rejected. A callback is added before it is checked
	 * whether the executor has been shut down, and {@link #repeatCallbacks()} runs after
	 * that, so that one of the two threads finds it.
	 */
	private final Queue<Runnable> rejectedCallbacks = new ConcurrentLinkedQueue<>();

	/** Tasks that the timers rejected, until the sweep schedules them again. */
	private final Queue<RejectedTask> rejected = new ConcurrentLinkedQueue<>();

	/** The last task of each key whose tasks run in order, until it has ended. */
	private final ConcurrentMap<String, CompletableFuture<?>> lastInOrder = new ConcurrentHashMap<>();

	TaskRunner(Executor executor, Executor callbacks, ScheduledExecutorService timers, EngineEnvironment environment) {
		this.executor = executor;
		this.callbacks = callbacks;
		this.timers = timers;
		this.environment = environment;
		// From the start: a timer that is set later may be rejected as well.
		timers.scheduleWithFixedDelay(this::sweep, SWEEP_SECONDS, SWEEP_SECONDS, TimeUnit.SECONDS);
	}

	/**
	 * Run code of the application, once and never on this thread, which may be one of the
	 * driver: the code may wait for an answer that this thread has to bring.
	 */
	void callBack(Runnable callback) {
		try {
			this.callbacks.execute(callback);
		}
		catch (Throwable ex) {
			this.rejectedCallbacks.add(callback);
			if (isShutDown(this.callbacks)) {
				repeatCallbacks();
			}
			else {
				scheduleReliably(this::repeatCallbacks, RETRY_NANOS);
			}
		}
	}

	/** Pass on what was rejected, after a shutdown to new threads. */
	void repeatCallbacks() {
		for (int left = this.rejectedCallbacks.size(); left > 0; left--) {
			Runnable callback = this.rejectedCallbacks.poll();
			if (callback != null && isShutDown(this.callbacks)) {
				this.environment.startThread("distlock-late-callback", () -> {
					Thread.currentThread().setContextClassLoader(this.contextClassLoader);
					callback.run();
				});
			}
			else if (callback != null) {
				callBack(callback);
			}
		}
	}

	/**
	 * Run a task on the executor.
	 * @return why it will not run, or {@code null} if it will, or if the registry has
	 * been shut down
	 */
	@Nullable Throwable execute(Runnable task) {
		try {
			this.executor.execute(task);
			return null;
		}
		catch (Throwable ex) {
			return unlessShutDown(ex);
		}
	}

	/**
	 * Run a task on the executor.
	 * @param key the key after whose earlier tasks the task runs, {@code null} for at
	 * once
	 * @param onRejection receives the reason if the task will not run, unless the
	 * registry has been shut down
	 */
	void execute(@Nullable String key, Runnable task, Consumer<Throwable> onRejection) {
		try {
			if (key == null) {
				this.executor.execute(task);
				return;
			}
			CompletableFuture<?> turn = this.lastInOrder.compute(key,
					(sameKey, last) -> (last != null) ? last.handleAsync((result, failure) -> {
						task.run();
						return null;
					}, this.executor) : CompletableFuture.runAsync(task, this.executor));
			turn.whenComplete((result, failure) -> {
				this.lastInOrder.remove(key, turn);
				if (failure != null) {
					rejected(failure, onRejection);
				}
			});
		}
		catch (Throwable ex) {
			rejected(ex, onRejection);
		}
	}

	private void rejected(Throwable rejection, Consumer<Throwable> onRejection) {
		Throwable reason = unlessShutDown(rejection);
		if (reason != null) {
			onRejection.accept(reason);
		}
	}

	private @Nullable Throwable unlessShutDown(Throwable rejection) {
		if (isShutDown()) {
			logger.debug("A lock command was not sent, since the registry has been shut down", rejection);
			return null;
		}
		return rejection;
	}

	/** Run a task on the executor, some time later if the executor rejects it now. */
	void executeReliably(Runnable task) {
		Throwable rejection = execute(task);
		if (rejection != null) {
			scheduleReliably(() -> executeReliably(task), RETRY_NANOS);
		}
	}

	/**
	 * Run a task that does not block after a delay.
	 * @return its timer, or {@code null} if the registry has been shut down
	 * @throws LockBackendException if the timer could not be scheduled
	 */
	@Nullable Future<?> schedule(Runnable task, long delayNanos) {
		try {
			return this.timers.schedule(task, delayNanos, TimeUnit.NANOSECONDS);
		}
		catch (Throwable ex) {
			if (this.timers.isShutdown()) {
				logger.debug("A lock timer was not scheduled, since the registry has been shut down", ex);
				return null;
			}
			throw new LockBackendException("A timer for a lock could not be scheduled: " + ex, ex);
		}
	}

	/** Run a task that does not block after a delay, or after a longer one. */
	void scheduleReliably(Runnable task, long delayNanos) {
		try {
			schedule(task, delayNanos);
		}
		catch (Throwable ex) {
			// First: logging may fail for the same reason.
			scheduleBySweep(task, delayNanos);
			logger.error("A lock timer could not be scheduled and is scheduled again within a second", ex);
		}
	}

	/** Run a task that repeats what an error has interrupted, a short time later. */
	void scheduleRecovery(Runnable task) {
		scheduleReliably(task, RECOVERY_NANOS);
	}

	/** Schedule a task within a second: the timers rejected it. */
	void scheduleBySweep(Runnable task, long delayNanos) {
		this.rejected.add(new RejectedTask(task, delayNanos));
	}

	private void sweep() {
		try {
			for (int left = this.rejected.size(); left > 0; left--) {
				RejectedTask task = Objects.requireNonNull(this.rejected.poll());
				scheduleReliably(task.task(), task.delayNanos());
			}
		}
		catch (Throwable ex) {
			// The next sweep goes on. Logging is what may have failed.
		}
	}

	/** Whether the registry has been shut down: tasks may not run any more. */
	boolean isShutDown() {
		return this.timers.isShutdown() || isShutDown(this.executor);
	}

	private static boolean isShutDown(Executor executor) {
		return executor instanceof ExecutorService pool && pool.isShutdown();
	}

	/**
	 * A task without a timer.
	 *
	 * @param task the task
	 * @param delayNanos the delay to schedule it with
	 */
	private record RejectedTask(Runnable task, long delayNanos) {
	}

}
