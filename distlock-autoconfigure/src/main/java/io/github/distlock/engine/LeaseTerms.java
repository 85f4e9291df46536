package io.github.distlock.engine;

import java.time.Duration;

import io.github.distlock.backend.Validity;
import org.jspecify.annotations.Nullable;

/**
 * How long a lock may be held. Immutable; many leases share one instance.
 *
 * @param lease how long the lock is held at a time
 * @param storeLease the lease to request from the store. It is longer than {@code lease}
 * if the lock may be handed off within the JVM, since the next holder has a lease of its
 * own
 * @param renewed whether the watchdog renews the lease; otherwise it ends after
 * {@code lease}
 * @param maxHold when the watchdog stops, from the start of the lease; {@code null} means
 * never
 * @param minHold how long the lock stays locked at least, from the start of the lease;
 * {@code null} means not at all
 */
public record LeaseTerms(Duration lease, Duration storeLease, boolean renewed, @Nullable Duration maxHold,
		@Nullable Duration minHold) {

	/**
	 * Shorter than the safety margin of any validity: a lease of this length is expired
	 * when it is granted.
	 */
	private static final Duration MINIMUM = Duration.ofMillis(1);

	/**
	 * Return the lease to request so that a lock stays locked for a time even if this JVM
	 * dies. The safety margin of a {@link Validity} is added.
	 * @param time how long the lock must stay locked
	 * @return a slightly longer time
	 */
	public static Duration lasting(Duration time) {
		return time.plus(time.dividedBy(50)).plusMillis(10);
	}

	/**
	 * Return the lease to request so that it covers a lease, and the minimum hold time
	 * even if this JVM dies.
	 * @param lease the lease that is needed anyway
	 * @param minHold the minimum hold time, zero if there is none
	 * @return the longer one
	 */
	public static Duration covering(Duration lease, Duration minHold) {
		Duration kept = minHold.isZero() ? minHold : lasting(minHold);
		return (kept.compareTo(lease) > 0) ? kept : lease;
	}

	/**
	 * Return how long the lock must stay locked after its release.
	 * @param held how long the lock has been held
	 * @return what remains of the minimum hold time, zero if there is none
	 */
	Duration remainingMinHold(Duration held) {
		Duration rest = (this.minHold != null) ? this.minHold.minus(held) : Duration.ZERO;
		return rest.isNegative() ? Duration.ZERO : rest;
	}

	/**
	 * Return when a lock ends by its terms. A lease that the watchdog renews ends by its
	 * terms only if it depends on a session: a session does not end because it is not
	 * renewed.
	 * @param heldNanos how long the lock has been held
	 * @param sessionBound whether the grant of the store lasts as long as a session
	 * @return nanoseconds until then
	 */
	long untilEndNanos(long heldNanos, boolean sessionBound) {
		Duration end = end(sessionBound);
		return (end != null) ? end.toNanos() - heldNanos : Long.MAX_VALUE;
	}

	/**
	 * Return whether a lock ends by its terms.
	 * @param sessionBound whether the grant of the store lasts as long as a session
	 * @return {@code false} if only the store ends it
	 */
	boolean hasEnd(boolean sessionBound) {
		return end(sessionBound) != null;
	}

	/**
	 * Return whether the lock may be held no longer, or is renewed no longer.
	 * @param heldNanos how long the lock has been held
	 * @return whether the lease, or the time of the watchdog, is over
	 */
	boolean hasPassed(long heldNanos) {
		Duration end = this.renewed ? this.maxHold : this.lease;
		return end != null && heldNanos >= end.toNanos();
	}

	private @Nullable Duration end(boolean sessionBound) {
		return this.renewed ? (sessionBound ? this.maxHold : null) : this.lease;
	}

	/**
	 * Return the lease that a renewal requests. It is never shorter than the lease of
	 * another holder under the same grant.
	 * @param held how long the lock has been held
	 * @return the lease in the store
	 */
	Duration storeLeaseAfter(Duration held) {
		Duration rest = this.lease.minus(held);
		return this.renewed ? this.storeLease : ((rest.compareTo(MINIMUM) > 0) ? rest : MINIMUM).plus(extra());
	}

	/** Return the terms of a lease that ends after a time and is no longer renewed. */
	LeaseTerms expiring(Duration time) {
		return new LeaseTerms(time, lasting(time).plus(extra()), false, null, this.minHold);
	}

	/** Return the terms of an explicit lease that counts from a later moment. */
	LeaseTerms startingAfter(Duration time) {
		return new LeaseTerms(this.lease.plus(time), this.storeLease.plus(time), this.renewed, this.maxHold,
				this.minHold);
	}

	/**
	 * Return how much longer the lease in the store is than the lease.
	 * @return the extra time
	 */
	Duration extra() {
		return this.storeLease.minus(this.lease);
	}

}
