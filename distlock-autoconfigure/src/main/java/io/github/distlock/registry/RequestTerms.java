package io.github.distlock.registry;

import java.time.Duration;

import io.github.distlock.LockRequest;
import io.github.distlock.renewal.LeaseTerms;
import io.github.distlock.waiting.WaitRequest;

/**
 * How long a lock may be held, and what the store is asked for, by what a caller requests
 * and by the defaults of the registry.
 */
final class RequestTerms {

	private final RegistrySettings settings;

	/** For all whose lease the watchdog renews. */
	private final LeaseTerms watched;

	private final LeaseTerms watchedOwn;

	RequestTerms(RegistrySettings settings) {
		this.settings = settings;
		this.watched = watched(false);
		this.watchedOwn = watched(true);
	}

	LeaseTerms of(LockRequest request) {
		Duration explicit = request.leaseTime();
		Duration minHold = request.minHold();
		boolean own = WaitRequest.hasOwnTicket(request.mode(), request.fair());
		if (explicit == null && minHold == null) {
			return own ? this.watchedOwn : this.watched;
		}
		Duration lease = (explicit != null) ? explicit : this.settings.leaseTime();
		// No watchdog makes up for the margin of an explicit lease: all of it must count.
		Duration storeLease = (explicit != null) ? LeaseTerms.lasting(storeLease(lease, own)) : storeLease(lease, own);
		// From the first command on: the JVM may die with the lock.
		Duration covering = LeaseTerms.covering(storeLease, (minHold != null) ? minHold : Duration.ZERO);
		return new LeaseTerms(lease, covering, explicit == null,
				(explicit == null) ? this.settings.maxHoldTime() : null, minHold);
	}

	private LeaseTerms watched(boolean own) {
		Duration leaseTime = this.settings.leaseTime();
		return new LeaseTerms(leaseTime, storeLease(leaseTime, own), true, this.settings.maxHoldTime(), null);
	}

	/** A caller with a ticket of its own never passes the lock on inside the JVM. */
	private Duration storeLease(Duration leaseTime, boolean own) {
		return own ? leaseTime : leaseTime.plus(this.settings.handOff().extraLease());
	}

}
