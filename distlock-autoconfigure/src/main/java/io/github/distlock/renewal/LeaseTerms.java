package io.github.distlock.renewal;

import java.time.Duration;

import io.github.distlock.backend.Validity;
import org.jspecify.annotations.Nullable;

/**
 * How long a lock may be held. The same for many: share it.
 *
 * @param lease how long the lock is held at a time
 * @param storeLease what is asked of the store, each time: longer, since the lock may be
 * passed on inside the JVM, and the next one has a lease of his own
 * @param renewed whether the watchdog keeps it alive; otherwise it ends after
 * {@code lease}
 * @param maxHold when the watchdog stops, from the start; {@code null} means never
 * @param minHold how long the lock stays taken at least, from the start; {@code null}
 * means not at all
 */
public record LeaseTerms(Duration lease, Duration storeLease, boolean renewed, @Nullable Duration maxHold,
		@Nullable Duration minHold) {

	/** So short that it has passed, by any margin, when it is granted. */
	private static final Duration MINIMUM = Duration.ofMillis(1);

	/**
	 * Return what is left of them after a time, for a lock that is no longer passed on
	 * inside the JVM but still stays taken for its minimum hold time.
	 * @param held how long the lock has been held
	 * @param most how long the rest of an explicit lease may last
	 * @return the same watched lease, or the rest of an explicit one, which is zero or
	 * negative if that has passed. The lease for the store is positive.
	 */
	LeaseTerms after(Duration held, Duration most) {
		Duration left = this.lease.minus(held);
		Duration rest = (left.compareTo(most) < 0) ? left : most;
		Duration some = this.renewed ? this.lease : rest;
		Duration remainingMinHold = remainingMinHold(held);
		return new LeaseTerms(some, covering(this.renewed ? some : lasting(positive(rest)), remainingMinHold),
				this.renewed, (this.maxHold != null) ? this.maxHold.minus(held) : null,
				remainingMinHold.isZero() ? null : remainingMinHold);
	}

	/**
	 * Return what the store must be asked for so that a lock stays taken for some time
	 * whatever becomes of this JVM: the margin of a {@link Validity} is to come after it.
	 * @param time how long the lock is to stay taken
	 * @return a little more
	 */
	public static Duration lasting(Duration time) {
		return time.plus(time.dividedBy(50)).plusMillis(10);
	}

	/**
	 * Return what the store must be asked for so that a lock lasts for a lease, and stays
	 * taken for its minimum hold time whatever becomes of this JVM.
	 * @param lease how long it is needed anyway
	 * @param minHold the minimum hold time, zero if there is none
	 * @return the lease, or more
	 */
	public static Duration covering(Duration lease, Duration minHold) {
		Duration kept = minHold.isZero() ? minHold : lasting(minHold);
		return (kept.compareTo(lease) > 0) ? kept : lease;
	}

	/**
	 * Return for how long the lock must stay taken when it is left.
	 * @param held how long it has been held
	 * @return what is left of the minimum hold time, zero if there is none
	 */
	Duration remainingMinHold(Duration held) {
		Duration rest = (this.minHold != null) ? this.minHold.minus(held) : Duration.ZERO;
		return rest.isNegative() ? Duration.ZERO : rest;
	}

	/**
	 * Return when a lock ends whatever the store believes. Of a watched one only if it
	 * depends on a session, which does not end by not being renewed.
	 * @param heldNanos how long it has been held
	 * @param sessionBound whether the store's grant counts as long as a session
	 * @return nanoseconds until then
	 */
	long untilEndNanos(long heldNanos, boolean sessionBound) {
		Duration end = this.renewed ? (sessionBound ? this.maxHold : null) : this.lease;
		return (end != null) ? end.toNanos() - heldNanos : Long.MAX_VALUE;
	}

	/**
	 * Return what a renewal asks for: never less than what another stay under the same
	 * grant was told it has.
	 * @param held how long the lock has been held
	 * @return the lease in the store
	 */
	Duration storeLeaseAfter(Duration held) {
		return this.renewed ? this.storeLease : rest(held).plus(extra());
	}

	/** What is left of an explicit lease. */
	private Duration rest(Duration held) {
		return positive(this.lease.minus(held));
	}

	private static Duration positive(Duration rest) {
		return (rest.compareTo(MINIMUM) > 0) ? rest : MINIMUM;
	}

	/** Return the terms of one who no longer wants his lease renewed. */
	LeaseTerms expiring(Duration time) {
		return new LeaseTerms(time, lasting(time).plus(extra()), false, null, this.minHold);
	}

	/** Return the terms of an explicit lease that counts from a later moment. */
	LeaseTerms startingAfter(Duration time) {
		return new LeaseTerms(this.lease.plus(time), this.storeLease.plus(time), this.renewed, this.maxHold,
				this.minHold);
	}

	/**
	 * Return how much longer the store's lease is, each time.
	 * @return the extra time
	 */
	Duration extra() {
		return this.storeLease.minus(this.lease);
	}

}
