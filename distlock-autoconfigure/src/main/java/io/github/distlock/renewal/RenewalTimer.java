package io.github.distlock.renewal;

import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;

import io.github.distlock.LockBackendException;
import io.github.distlock.backend.TimeSource;
import io.github.distlock.environment.EngineEnvironment;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * The timer of a {@link LeaseRenewer}. It is set only if a lease needs it earlier than it
 * would fire. Thread-safe.
 */
final class RenewalTimer {

	private static final Log logger = LogFactory.getLog(RenewalTimer.class);

	private static final long MINIMUM_DELAY_NANOS = 1_000_000;

	private static final long RETRY_NANOS = 100_000_000;

	private final EngineEnvironment environment;

	private final TimeSource clock;

	private final Executor executor;

	private final ScheduledExecutorService timers;

	private final Runnable scan;

	private final Lock timerLock;

	/** Guarded by {@link #timerLock} for writing, except in {@link #fired}. */
	private volatile boolean armed;

	/** Guarded by {@link #timerLock} for writing. Meaningless unless {@link #armed}. */
	private volatile long armedForNanos;

	/** The timer that was set last. Guarded by {@link #timerLock}. */
	private @Nullable Future<?> timer;

	/** Whether neither the timers nor the executor accepted the next scan. */
	private volatile boolean unscheduled;

	private volatile boolean stopped;

	RenewalTimer(EngineEnvironment environment, Executor executor, ScheduledExecutorService timers, Runnable scan) {
		this.environment = environment;
		this.clock = environment.clock();
		this.timerLock = environment.newLock();
		this.executor = executor;
		this.timers = timers;
		this.scan = scan;
	}

	/** Set no timer from now on. */
	void stop() {
		this.stopped = true;
	}

	/** Set the timer if that failed before. */
	void retry() {
		if (this.unscheduled) {
			// First: a timer that is due already is as good.
			this.unscheduled = false;
			scheduleReliably(0);
		}
	}

	/**
	 * Scan after a time at the latest.
	 * @throws LockBackendException if the timer could not be set; a timer that was set
	 * before remains set
	 */
	void scheduleWithin(long nanos) {
		scheduleWithin(nanos, this.clock.nanoTime());
	}

	/**
	 * Scan when a time after a moment has passed, at the latest. The clock is read only
	 * if the timer has to be set.
	 * @param fromNanos now, or earlier
	 * @throws LockBackendException if the timer could not be set; a timer that was set
	 * before remains set
	 */
	void scheduleWithin(long nanos, long fromNanos) {
		long at = fromNanos + Math.max(nanos, 0);
		if (this.armed && at - this.armedForNanos >= 0) {
			return;
		}
		this.timerLock.lock();
		try {
			if (this.stopped || (this.armed && at - this.armedForNanos >= 0)) {
				return;
			}
			arm(at, at - this.clock.nanoTime());
		}
		finally {
			this.timerLock.unlock();
		}
	}

	/** If this fails, the timer that was set before remains set. */
	private void arm(long at, long nanos) {
		boolean armedBefore = this.armed;
		long armedForBefore = this.armedForNanos;
		try {
			// Set the fields before the timer: it may fire at once.
			this.armedForNanos = at;
			this.armed = true;
			Future<?> replaced = this.timer;
			this.timer = this.timers.schedule(() -> fired(at), Math.max(nanos, MINIMUM_DELAY_NANOS),
					TimeUnit.NANOSECONDS);
			this.unscheduled = false;
			if (replaced != null) {
				// Otherwise it would stay until its moment, which may be a day away.
				replaced.cancel(false);
			}
		}
		catch (RuntimeException | Error ex) {
			this.armedForNanos = armedForBefore;
			this.armed = armedBefore;
			// Another lease may depend on this timer.
			this.unscheduled = true;
			if (this.timers.isShutdown()) {
				logger.debug("Leases are no longer watched, since the registry has been shut down", ex);
			}
			else if (ex instanceof RejectedExecutionException) {
				throw new LockBackendException("A timer for the renewal of leases could not be set: " + ex, ex);
			}
			else {
				throw ex;
			}
		}
	}

	/**
	 * Set the timer. If that fails retry it on another thread until it succeeds.
	 */
	void scheduleReliably(long nanos) {
		try {
			scheduleWithin(nanos);
		}
		catch (Throwable ex) {
			logger.error("The timer for the renewal of leases could not be set and is retried", ex);
			try {
				this.executor.execute(() -> {
					this.environment.park(this, RETRY_NANOS);
					scheduleReliably(0);
				});
			}
			catch (Throwable again) {
				this.unscheduled = true;
			}
		}
	}

	private void fired(long armedFor) {
		if (this.armedForNanos != armedFor) {
			// A timer for an earlier moment has replaced this one.
			return;
		}
		// Clear the flag before the scan: a lease that is added from now on sets the
		// timer itself.
		this.armed = false;
		this.scan.run();
		// Neither a timer nor a thread could be had. Nothing else would scan the leases.
		while (this.unscheduled && !this.stopped) {
			this.environment.park(this, RETRY_NANOS);
			retry();
		}
	}

}
