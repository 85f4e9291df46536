package io.github.distlock.waiting;

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
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * Passes tasks to the executor and to the timers of the registry. Either may reject a
 * task, because a thread cannot be started for example. Then the caller gets the reason,
 * or the task is passed on again later, so that no task is lost unless the registry has
 * been shut down. Thread-safe.
 */
final class Tasks {

	private static final Log logger = LogFactory.getLog(Tasks.class);

	private static final long RETRY_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

	private static final long RECOVERY_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

	private final Executor executor;

	private final ScheduledExecutorService timers;

	/** Tasks that the timers rejected, to be scheduled again with the next event. */
	private final Queue<RejectedTask> rejected = new ConcurrentLinkedQueue<>();

	/** The last task of each key whose tasks run in order, until it has ended. */
	private final ConcurrentMap<String, CompletableFuture<?>> lastInOrder = new ConcurrentHashMap<>();

	Tasks(Executor executor, ScheduledExecutorService timers) {
		this.executor = executor;
		this.timers = timers;
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
			scheduleWithNextEvent(task, delayNanos);
			logger.error("A lock timer could not be scheduled and is scheduled again with the next event", ex);
		}
	}

	/** Run a task that repeats what an error has interrupted, a short time later. */
	void scheduleRecovery(Runnable task) {
		scheduleReliably(task, RECOVERY_NANOS);
	}

	/** Schedule a task when the next event comes: the timers rejected it. */
	void scheduleWithNextEvent(Runnable task, long delayNanos) {
		this.rejected.add(new RejectedTask(task, delayNanos));
	}

	/** An event has come: schedule the tasks that the timers rejected before. */
	void scheduleRejected() {
		if (this.rejected.isEmpty()) {
			return;
		}
		for (int left = this.rejected.size(); left > 0; left--) {
			RejectedTask task = this.rejected.poll();
			if (task == null) {
				return;
			}
			scheduleReliably(task.task(), task.delayNanos());
		}
	}

	/** Whether the registry has been shut down: tasks may not run any more. */
	boolean isShutDown() {
		return this.timers.isShutdown() || (this.executor instanceof ExecutorService pool && pool.isShutdown());
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
