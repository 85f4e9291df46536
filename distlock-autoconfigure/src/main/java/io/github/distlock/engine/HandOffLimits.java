package io.github.distlock.engine;

import java.time.Duration;

import io.github.distlock.backend.TimeSource;

/**
 * Limits the turn of a JVM: how long it may keep a lock and hand it off from thread to
 * thread without a command. After that the waiters of other JVMs have their turn.
 * <p>
 * By default the time ends a turn. The budget only bounds the number of fencing tokens
 * that a grant covers, and so how often a JVM with very short sections may overtake the
 * waiters of another one.
 *
 * @param budget how many hand-offs in a row; zero means none
 * @param maxTime how long after the grant of the store the last hand-off may begin; zero
 * means no hand-offs
 */
public record HandOffLimits(int budget, Duration maxTime) {

	/** Remaining lease that is always sufficient for a local hand-off. */
	private static final long SUFFICIENT_LEASE_NANOS = Duration.ofMillis(2500).toNanos();

	/**
	 * Return how much longer than the lease of a caller the store's lease must be, so
	 * that the last holder in a row has a whole lease.
	 * @return the extra time
	 */
	public Duration extraLease() {
		return (this.budget > 0) ? this.maxTime : Duration.ZERO;
	}

	/**
	 * Whether the lock may be handed off: the grant has another token, the time of this
	 * JVM has not passed, and the next waiter asks for the same lease and mode and gets
	 * enough of the lease.
	 * @param turnNanos when the grant of the store arrived
	 */
	boolean allow(Hold from, Waiter next, long turnNanos, TimeSource clock) {
		return from.handOffs < this.budget && from.fencingToken() < from.lastToken
				&& clock.nanoTime() - turnNanos < this.maxTime.toNanos() && next.mode() == from.mode()
				&& next.lease().equals(from.lease)
				&& from.validity().remainingNanos(clock) >= Math.min(SUFFICIENT_LEASE_NANOS, from.lease.toNanos() / 2);
	}

}
