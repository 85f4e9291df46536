package io.github.distlock.registry;

import java.time.Duration;

import io.github.distlock.LockRequest;
import io.github.distlock.renewal.LeaseTerms;
import io.github.distlock.waiting.WaitRequest;

/**
 * Derives the terms of a lease from a request and the defaults of the registry.
 */
final class RequestTerms {

	private final RegistrySettings settings;

	/** Shared by all leases that the watchdog renews. */
	private final LeaseTerms renewed;

	private final LeaseTerms renewedWithOwnTicket;

	RequestTerms(RegistrySettings settings) {
		this.settings = settings;
		this.renewed = renewed(false);
		this.renewedWithOwnTicket = renewed(true);
	}

	LeaseTerms of(LockRequest request) {
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
		return new LeaseTerms(lease, covered, explicit == null, (explicit == null) ? this.settings.maxHoldTime() : null,
				minHold);
	}

	private LeaseTerms renewed(boolean ownTicket) {
		Duration leaseTime = this.settings.leaseTime();
		return new LeaseTerms(leaseTime, storeLease(leaseTime, ownTicket), true, this.settings.maxHoldTime(), null);
	}

	/** A caller with its own ticket never hands the lock off within the JVM. */
	private Duration storeLease(Duration leaseTime, boolean ownTicket) {
		return ownTicket ? leaseTime : leaseTime.plus(this.settings.handOff().extraLease());
	}

}
