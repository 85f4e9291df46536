package io.github.distlock.registry;

import java.time.Duration;
import java.util.Objects;

import io.github.distlock.LockDefinitionException;
import io.github.distlock.LockRequest;
import io.github.distlock.backend.BackendDescription;
import io.github.distlock.backend.LockBackend;
import io.github.distlock.backend.LockKeys;
import io.github.distlock.engine.LeaseTerms;
import io.github.distlock.engine.Waiter;

/**
 * Derives the terms of waits and leases from requests and the defaults of the registry.
 * Refuses requests that the registry or its store does not support.
 */
final class RequestTerms {

	private final LockBackend backend;

	private final BackendDescription description;

	private final RegistrySettings settings;

	static final String NO_REQUEST = "The request for a lock is null: pass LockRequest.of(key)";

	static final String NO_ACTION = "The action that is to run under a lock is null: pass a Callable";

	/** Shared by all leases that the watchdog renews. */
	private final LeaseTerms renewed;

	private final LeaseTerms renewedWithOwnTicket;

	RequestTerms(LockBackend backend, RegistrySettings settings) {
		this.backend = backend;
		this.description = backend.description();
		this.settings = settings;
		this.renewed = renewed(settings.leaseTime(), false);
		this.renewedWithOwnTicket = renewed(settings.leaseTime(), true);
	}

	void validate(LockRequest request) {
		LockKeys.validate(request.key());
		if (request.leaseTime() != null || request.minHold() != null) {
			this.backend.validateLease(request.key(), lease(request).storeLease());
		}
		Duration maxHoldTime = this.settings.maxHoldTime();
		Duration minHold = request.minHold();
		if (minHold != null && maxHoldTime != null && request.leaseTime() == null
				&& minHold.compareTo(maxHoldTime) > 0) {
			throw new LockDefinitionException("The minimum hold time of lock '" + request.key() + "' is " + minHold
					+ ", but locks are renewed for " + maxHoldTime + " at most (distlock.max-hold-time): use a shorter"
					+ " minHold, or a leaseTime that covers it");
		}
		if (request.permits() != null && !this.description.permits()) {
			throw refusal(request, "with permits",
					"support that: use the store 'redis' or 'local', or leave permits out");
		}
		if (!this.description.modes().contains(request.mode())) {
			throw refusal(request, "in mode " + request.mode(), "support that: use one of " + this.description.modes());
		}
		if (request.fair() && !this.description.fair()) {
			throw refusal(request, "as fair", "support that: leave fair out");
		}
	}

	private LockDefinitionException refusal(LockRequest request, String requested, String remedy) {
		return new LockDefinitionException("Lock '" + request.key() + "' was requested " + requested
				+ ", but the store '" + this.description.name() + "' does not " + remedy);
	}

	/** How long a caller waits: zero tries once, negative waits without a limit. */
	Duration waitTime(LockRequest request) {
		return Objects.requireNonNullElse(request.waitTime(), this.settings.waitTime());
	}

	/** How many callers of this JVM may wait for the key. */
	int maxWaiting(LockRequest request) {
		return Objects.requireNonNullElse(request.maxWaiting(), this.settings.maxWaiting());
	}

	LeaseTerms lease(LockRequest request) {
		Duration explicit = request.leaseTime();
		Duration minHold = request.minHold();
		boolean ownTicket = Waiter.hasOwnTicket(request);
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

	private LeaseTerms renewed(Duration leaseTime, boolean ownTicket) {
		return new LeaseTerms(leaseTime, storeLease(leaseTime, ownTicket), true, this.settings.maxHoldTime(), null);
	}

	/** A caller with its own ticket never hands the lock off within the JVM. */
	private Duration storeLease(Duration leaseTime, boolean ownTicket) {
		return ownTicket ? leaseTime : leaseTime.plus(this.settings.handOff().extraLease());
	}

}
