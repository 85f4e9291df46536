package io.github.distlock.waiting;

import java.time.Duration;

import io.github.distlock.backend.TimeSource;
import io.github.distlock.backend.Validity;

/**
 * How long a JVM may keep a lock to itself and pass it from thread to thread without
 * asking the store. After that the other JVMs have their turn.
 *
 * @param budget how often in a row; zero means never
 * @param maxTime how long after the grant of the store
 */
public record HandOffLimits(int budget, Duration maxTime) {

	/** With more than this of the lease left nobody needs more to begin. */
	private static final long PLENTY_NANOS = Duration.ofMillis(2500).toNanos();

	/**
	 * Return how much longer than the lease that a caller asks for the store's lease must
	 * be, so that the last one in a row has all of its own.
	 * @return the extra time
	 */
	public Duration extraLease() {
		return (this.budget > 0) ? this.maxTime : Duration.ZERO;
	}

	/**
	 * Whether the lock may be passed on, seen from the one who leaves: his token has not
	 * used the grant up, the JVM's turn has not ended, and the next one finds enough of
	 * the lease and in it what it asks for.
	 */
	boolean allow(Holder from, Validity validity, WaitRequest next, TimeSource clock) {
		return from.passed() < this.budget && from.fencingToken() < from.lastToken()
				&& clock.nanoTime() - from.turnStartNanos() < this.maxTime.toNanos()
				&& next.mode() == from.ticket().mode() && next.lease().equals(from.lease())
				&& validity.remainingNanos(clock) >= Math.min(PLENTY_NANOS, from.lease().toNanos() / 2);
	}

}
