package io.github.distlock.waiting;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

import io.github.distlock.LockBackendException;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * Hands tasks to the executor and to the timers of a room. Either may refuse a task,
 * because a thread cannot be started for example. Then the caller gets the reason, or the
 * task is handed over again later, so that no task is lost unless the registry has been
 * shut down. Thread-safe.
 */
final class Tasks {

	private static final Log logger = LogFactory.getLog(Tasks.class);

	private static final long RETRY_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

	private final Executor executor;

	private final ScheduledExecutorService timers;

	/** Tasks that the timers refused. They are scheduled again with the next event. */
	private final Queue<Refused> refused = new ConcurrentLinkedQueue<>();

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
			if (isShutDown()) {
				logger.debug("A lock command was not sent, since the registry has been shut down", ex);
				return null;
			}
			return ex;
		}
	}

	/** Run a task on the executor, some time later if it refuses the task now. */
	void executeSurely(Runnable task) {
		Throwable refusal = execute(task);
		if (refusal != null) {
			laterSurely(() -> executeSurely(task), RETRY_NANOS);
		}
	}

	/**
	 * Run a task that does not block after a delay.
	 * @return its timer, or {@code null} if the registry has been shut down
	 * @throws LockBackendException if the timer could not be set
	 */
	@Nullable Future<?> later(Runnable task, long delayNanos) {
		try {
			return this.timers.schedule(task, delayNanos, TimeUnit.NANOSECONDS);
		}
		catch (Throwable ex) {
			if (this.timers.isShutdown()) {
				logger.debug("A lock timer was not set, since the registry has been shut down", ex);
				return null;
			}
			throw new LockBackendException("A timer for a lock could not be set: " + ex, ex);
		}
	}

	/** Run a task that does not block after a delay, or after a longer one. */
	void laterSurely(Runnable task, long delayNanos) {
		try {
			later(task, delayNanos);
		}
		catch (Throwable ex) {
			// First: the log may fail for the same reason.
			postpone(task, delayNanos);
			logger.error("A lock timer could not be set and is tried again with the next event", ex);
		}
	}

	/** Schedule a task when the next event comes: the timers refused it. */
	void postpone(Runnable task, long delayNanos) {
		this.refused.add(new Refused(task, delayNanos));
	}

	/** An event has come: schedule what the timers refused before. */
	void retryRefused() {
		if (this.refused.isEmpty()) {
			return;
		}
		for (int left = this.refused.size(); left > 0; left--) {
			Refused task = this.refused.poll();
			if (task == null) {
				return;
			}
			laterSurely(task.task(), task.delayNanos());
		}
	}

	boolean isShutDown() {
		return this.timers.isShutdown() || (this.executor instanceof ExecutorService pool && pool.isShutdown());
	}

	/**
	 * A task without a timer.
	 *
	 * @param task what to run
	 * @param delayNanos how long after its timer was set
	 */
	private record Refused(Runnable task, long delayNanos) {
	}

}
