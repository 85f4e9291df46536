package io.github.distlock.renewal;

import java.time.Duration;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;

import io.github.distlock.backend.TimeSource;
import io.github.distlock.environment.EngineEnvironment;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * The timer of a {@link LeaseRenewer}. It is set only if a lease needs it earlier than it
 * would fire. A sweep takes its place if it could not be set, or if an error has
 * interrupted the scan, which would have set it again. Thread-safe.
 */
final class RenewalTimer {

	private static final Log logger = LogFactory.getLog(RenewalTimer.class);

	private static final long MINIMUM_DELAY_NANOS = 1_000_000;

	private static final long SWEEP_NANOS = Duration.ofSeconds(1).toNanos();

	private final TimeSource clock;

	private final ScheduledExecutorService timers;

	private final Runnable scan;

	private final Lock timerLock;

	/** Guarded by {@link #timerLock} for writing, except in {@link #scan}. */
	private volatile boolean armed;

	/** Guarded by {@link #timerLock} for writing. Meaningless unless {@link #armed}. */
	private volatile long armedForNanos;

	/** The timer that was set last. Guarded by {@link #timerLock}. */
	private @Nullable Future<?> timer;

	private volatile boolean stopped;

	RenewalTimer(EngineEnvironment environment, ScheduledExecutorService timers, Runnable scan) {
		this.clock = environment.clock();
		this.timerLock = environment.newLock();
		this.timers = timers;
		this.scan = scan;
		timers.scheduleWithFixedDelay(this::sweep, SWEEP_NANOS, SWEEP_NANOS, TimeUnit.NANOSECONDS);
	}

	/** Set no timer from now on. */
	void stop() {
		this.stopped = true;
	}

	/** Scan after a time at the latest. */
	void scheduleWithin(long nanos) {
		scheduleWithin(nanos, this.clock.nanoTime());
	}

	/**
	 * Scan when a time after a moment has passed, at the latest. The clock is read only
	 * if the timer has to be set.
	 * @param fromNanos now, or earlier
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
			// Set the fields before the timer: it may fire at once.
			this.armedForNanos = at;
			this.armed = true;
			Future<?> replaced = this.timer;
			this.timer = this.timers.schedule(() -> fired(at),
					Math.max(at - this.clock.nanoTime(), MINIMUM_DELAY_NANOS), TimeUnit.NANOSECONDS);
			if (replaced != null) {
				// Otherwise it would stay until its moment, which may be a day away.
				replaced.cancel(false);
			}
		}
		catch (RejectedExecutionException ex) {
			logger.debug("A timer for the renewal of leases could not be set: the next sweep takes its place", ex);
		}
		finally {
			this.timerLock.unlock();
		}
	}

	private void fired(long armedFor) {
		// Otherwise a timer for an earlier moment has replaced this one.
		if (this.armedForNanos == armedFor) {
			scan();
		}
	}

	private void sweep() {
		if (!this.armed || this.clock.nanoTime() - this.armedForNanos >= SWEEP_NANOS) {
			scan();
		}
	}

	private void scan() {
		try {
			// Clear the flag before the scan: a lease that is added from now on sets the
			// timer itself.
			this.armed = false;
			this.scan.run();
		}
		catch (Throwable ex) {
			logger.error("A scan of the leases failed and is repeated within a second", ex);
		}
	}

}
