package io.github.distlock.registry;

import java.time.Duration;

import io.github.distlock.LockRequest;
import io.github.distlock.renewal.LeaseTerms;
import io.github.distlock.waiting.WaitRequest;

/**
 * Derives the terms of a lease from a request and the defaults of the registry.
 */
final class RequestTerms {

	/** A crash of this JVM costs at most this. */
	private static final Duration LONGEST_KEEPABLE_LEASE = Duration.ofSeconds(5);

	private final RegistrySettings settings;

	/** Whether the store keeps locks. */
	private final boolean keeps;

	/** Shared by all leases that the watchdog renews. */
	private final LeaseTerms renewed;

	private final LeaseTerms renewedWithOwnTicket;

	/** Of locks that may be kept after their release. */
	private final LeaseTerms keepable;

	RequestTerms(RegistrySettings settings, boolean keeps) {
		this.settings = settings;
		this.keeps = keeps;
		this.renewed = renewed(settings.leaseTime(), false);
		this.renewedWithOwnTicket = renewed(settings.leaseTime(), true);
		// Without extra time: a lock that is kept is handed off only while enough of the
		// lease is left.
		this.keepable = renewed((settings.leaseTime().compareTo(LONGEST_KEEPABLE_LEASE) < 0) ? settings.leaseTime()
				: LONGEST_KEEPABLE_LEASE, true);
	}

	/**
	 * Return how long a lock may be kept after its release, zero if it is not kept. The
	 * default of the registry has no effect on locks that cannot be kept. Without
	 * hand-offs no lock is kept: the grant has no token for a second holder.
	 */
	Duration keep(LockRequest request) {
		Duration requested = request.keep();
		Duration keep = (requested != null) ? requested : this.settings.keep();
		return (!keep.isZero() && this.keeps && this.settings.handOff().budget() > 0 && request.isKeepable()) ? keep
				: Duration.ZERO;
	}

	LeaseTerms of(LockRequest request) {
		if (!keep(request).isZero()) {
			return this.keepable;
		}
		Duration explicit = request.leaseTime();
		Duration minHold = request.minHold();
		boolean ownTicket = WaitRequest.hasOwnTicket(request.mode(), request.fair());
		if (explicit == null && minHold == null) {
			return ownTicket ? this.renewedWithOwnTicket : this.renewed;
		}
		Duration lease = (explicit != null) ? explicit : this.settings.leaseTime();
		// The watchdog does not renew an explicit lease, so the safety margin is added to
		// it.
		Duration storeLease = (explicit != null) ? LeaseTerms.lasting(storeLease(lease, ownTicket))
				: storeLease(lease, ownTicket);
		// The first command requests it already: the JVM may die while it holds the lock.
		Duration covered = LeaseTerms.covering(storeLease, (minHold != null) ? minHold : Duration.ZERO);
		return new LeaseTerms(lease, unlikeKeepable(covered), explicit == null,
				(explicit == null) ? this.settings.maxHoldTime() : null, minHold);
	}

	private LeaseTerms renewed(Duration leaseTime, boolean ownTicket) {
		return new LeaseTerms(leaseTime, storeLease(leaseTime, ownTicket), true, this.settings.maxHoldTime(), null);
	}

	/**
	 * A caller enters a kept lock only if both have the same lease. Up to one second of
	 * that has passed, which a lease time or a minimum hold time would lack.
	 */
	private Duration unlikeKeepable(Duration storeLease) {
		return (this.keeps && storeLease.equals(this.keepable.storeLease())) ? storeLease.plusMillis(1) : storeLease;
	}

	/** A caller with its own ticket never hands the lock off within the JVM. */
	private Duration storeLease(Duration leaseTime, boolean ownTicket) {
		return ownTicket ? leaseTime : leaseTime.plus(this.settings.handOff().extraLease());
	}

}
