package io.github.distlock.thread;

import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.LongSupplier;

/**
 * Runs tasks that do not block at their time. Thread-safe.
 */
public interface LockTimers {

	/**
	 * Run a task once after a delay.
	 * @param task the task
	 * @param delayNanos the delay
	 * @return cancels it
	 * @throws RejectedExecutionException after the end
	 */
	Future<?> schedule(Runnable task, long delayNanos);

	/**
	 * Run a task again and again until the end. No error ends that: what repeats the task
	 * needs no memory.
	 * @param task returns the nanoseconds until its next run
	 * @param retryNanos the time until its first run, and until its next run after one
	 * that throws
	 * @return brings the next run forward
	 */
	RepeatedTask repeat(LongSupplier task, long retryNanos);

	/**
	 * Run a task periodically until the end, in the same way.
	 * @param periodNanos the period
	 * @param task the task
	 * @return brings the next run forward
	 */
	default RepeatedTask repeat(long periodNanos, Runnable task) {
		return repeat(() -> {
			task.run();
			return periodNanos;
		}, periodNanos);
	}

	/**
	 * Return how many timers are set, for reports.
	 * @return the number of tasks that will run once, and of those that are repeated
	 */
	int size();

	/** End: run nothing from now on. */
	void stop();

	/**
	 * A task that is repeated.
	 */
	interface RepeatedTask {

		/**
		 * Run the task after a time at the latest.
		 * @param nanos the time
		 */
		void within(long nanos);

	}

}
