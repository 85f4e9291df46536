package io.github.distlock.engine;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;

import io.github.distlock.backend.TimeSource;
import io.github.distlock.backend.Validity;
import io.github.distlock.environment.EngineEnvironment;
import io.github.distlock.thread.LockLog;
import io.github.distlock.thread.LockTimers;
import io.github.distlock.thread.LockTimers.RepeatedTask;
import org.apache.commons.logging.Log;

/**
 * The timer of a {@link LeaseRenewer}. It is brought forward only if a lease needs a scan
 * earlier than planned. At least once a second it compares the plan with the clock, so
 * neither an error, nor a timer that was not set, nor a suspended machine can prevent a
 * scan. Thread-safe.
 */
final class RenewalTimer {

	private static final Log logger = LockLog.of(RenewalTimer.class);

	private static final long MINIMUM_DELAY_NANOS = 1_000_000;

	private static final long SWEEP_NANOS = Duration.ofSeconds(1).toNanos();

	private static final long FAR_NANOS = Long.MAX_VALUE / 4;

	private final TimeSource clock;

	private final Runnable scan;

	/**
	 * The moment of the next scan. During a scan it is far away until a lease needs one.
	 */
	private final AtomicLong planned;

	private final RepeatedTask timer;

	private volatile boolean stopped;

	/** When the plan was last compared, by both clocks. Only the timer uses it. */
	private Validity compared;

	RenewalTimer(EngineEnvironment environment, LockTimers timers, Runnable scan) {
		this.clock = environment.clock();
		this.scan = scan;
		this.compared = Validity.until(this.clock.now(), Duration.ZERO);
		this.planned = new AtomicLong(this.clock.nanoTime() + SWEEP_NANOS);
		this.timer = timers.repeat(this::scanIfPlanned, SWEEP_NANOS);
	}

	/** Scan no more. */
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
		if (!this.stopped && this.planned.get() - at > 0
				&& this.planned.getAndAccumulate(at, RenewalTimer::earlier) - at > 0) {
			this.timer.within(Math.max(at - this.clock.nanoTime(), MINIMUM_DELAY_NANOS));
		}
	}

	private static long earlier(long first, long second) {
		return (second - first < 0) ? second : first;
	}

	/** Returns the time until the next check of the plan. */
	private long scanIfPlanned() {
		long now = this.clock.nanoTime();
		// Then leases have expired before the moment that is planned.
		boolean suspended = this.compared.suspended(this.clock);
		this.compared = Validity.until(this.clock.now(), Duration.ZERO);
		if ((suspended || this.planned.get() - now <= 0) && !this.stopped) {
			// Before the scan: a lease that is added from now on plans one itself.
			long far = now + FAR_NANOS;
			this.planned.set(far);
			try {
				this.scan.run();
			}
			catch (Throwable ex) {
				logger.error("A scan of the leases failed and is repeated within a second", ex);
			}
			finally {
				// Without leases that end by a clock, or after an error.
				this.planned.compareAndSet(far, now + SWEEP_NANOS);
			}
		}
		return Math.min(Math.max(this.planned.get() - this.clock.nanoTime(), MINIMUM_DELAY_NANOS), SWEEP_NANOS);
	}

}
