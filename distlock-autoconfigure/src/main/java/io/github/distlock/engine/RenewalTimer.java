package io.github.distlock.engine;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;

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

	/**
	 * The moment for which the timer is set, {@code null} if it is not. No lock guards
	 * it: a stack overflow could leave that taken, and no scan would get it.
	 */
	private final AtomicReference<@Nullable Moment> armed = new AtomicReference<>();

	private volatile boolean stopped;

	RenewalTimer(EngineEnvironment environment, ScheduledExecutorService timers, Runnable scan) {
		this.clock = environment.clock();
		this.timers = timers;
		this.scan = scan;
		timers.scheduleWithFixedDelay(this::sweep, SWEEP_NANOS, SWEEP_NANOS, TimeUnit.NANOSECONDS);
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
		if (this.stopped || isEarly(this.armed.get(), at)) {
			return;
		}
		Moment next = new Moment(at, new CompletableFuture<>());
		Moment replaced = this.armed.getAndUpdate((current) -> isEarly(current, at) ? current : next);
		if (isEarly(replaced, at)) {
			return;
		}
		try {
			next.timer.complete(this.timers.schedule(() -> fired(next),
					Math.max(at - this.clock.nanoTime(), MINIMUM_DELAY_NANOS), TimeUnit.NANOSECONDS));
			if (replaced != null) {
				// Otherwise it would stay until its moment, which may be a day away.
				replaced.timer.thenAccept((timer) -> timer.cancel(false));
			}
		}
		catch (RejectedExecutionException ex) {
			logger.debug("A timer for the renewal of leases could not be set: the next sweep takes its place", ex);
		}
	}

	private static boolean isEarly(@Nullable Moment moment, long nanos) {
		return moment != null && nanos - moment.nanos >= 0;
	}

	private void fired(Moment moment) {
		// Otherwise a timer for an earlier moment has replaced this one.
		if (this.armed.get() == moment) {
			scan();
		}
	}

	private void sweep() {
		Moment moment = this.armed.get();
		if (moment == null || this.clock.nanoTime() - moment.nanos >= SWEEP_NANOS) {
			scan();
		}
	}

	private void scan() {
		try {
			// Clear the flag before the scan: a lease that is added from now on sets the
			// timer itself.
			this.armed.set(null);
			if (!this.stopped) {
				this.scan.run();
			}
		}
		catch (Throwable ex) {
			logger.error("A scan of the leases failed and is repeated within a second", ex);
		}
	}

	/**
	 * A moment at which leases are scanned.
	 *
	 * @param nanos the moment
	 * @param timer completes with the timer for it
	 */
	private record Moment(long nanos, CompletableFuture<Future<?>> timer) {
	}

}
