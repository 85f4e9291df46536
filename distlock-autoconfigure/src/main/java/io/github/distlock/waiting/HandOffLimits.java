package io.github.distlock.waiting;

import java.time.Duration;

import io.github.distlock.backend.TimeSource;
import io.github.distlock.backend.Validity;

/**
 * Limits how long a JVM may keep a lock and hand it off from thread to thread without a
 * command. After that the waiters of other JVMs have their turn.
 *
 * @param budget how many hand-offs in a row; zero means none
 * @param maxTime the maximum time since the grant of the store
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
	 * Whether a holder may hand the lock off: the grant has another token, the time of
	 * this JVM has not passed, and the next waiter asks for the same lease and mode and
	 * gets enough of the lease.
	 */
	boolean allow(Holder from, Validity validity, WaitRequest next, TimeSource clock) {
		return from.handOffs() < this.budget && from.fencingToken() < from.lastToken()
				&& clock.nanoTime() - from.grantedAtNanos() < this.maxTime.toNanos()
				&& next.mode() == from.ticket().mode() && next.lease().equals(from.lease())
				&& validity.remainingNanos(clock) >= Math.min(SUFFICIENT_LEASE_NANOS, from.lease().toNanos() / 2);
	}

}
