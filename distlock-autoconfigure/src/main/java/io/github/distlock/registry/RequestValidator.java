package io.github.distlock.registry;

import java.time.Duration;

import io.github.distlock.LockDefinitionException;
import io.github.distlock.LockRequest;
import io.github.distlock.backend.BackendDescription;
import io.github.distlock.backend.LockBackend;
import io.github.distlock.backend.LockKeys;

/**
 * Refuses requests that a registry or its store does not support.
 */
final class RequestValidator {

	private final LockBackend backend;

	private final BackendDescription description;

	private final RegistrySettings settings;

	private final RequestTerms terms;

	RequestValidator(LockBackend backend, RegistrySettings settings, RequestTerms terms) {
		this.backend = backend;
		this.description = backend.description();
		this.settings = settings;
		this.terms = terms;
	}

	void validate(LockRequest request) {
		LockKeys.validate(request.key());
		if (request.leaseTime() != null || request.minHold() != null) {
			this.backend.validateLease(request.key(), this.terms.of(request).storeLease());
		}
		Duration maxHoldTime = this.settings.maxHoldTime();
		Duration minHold = request.minHold();
		if (minHold != null && maxHoldTime != null && request.leaseTime() == null
				&& minHold.compareTo(maxHoldTime) > 0) {
			throw new LockDefinitionException("The minimum hold time of lock '" + request.key() + "' is " + minHold
					+ ", but locks are renewed for " + maxHoldTime + " at most (distlock.max-hold-time): use a shorter"
					+ " minHold, or a leaseTime that covers it");
		}
		if (!this.description.modes().contains(request.mode())) {
			throw new LockDefinitionException(
					"Lock '" + request.key() + "' was requested in mode " + request.mode() + ", which the store '"
							+ this.description.name() + "' does not support: use one of " + this.description.modes());
		}
		Duration keep = request.keep();
		if (keep != null && !keep.isZero() && !this.description.keeps()) {
			throw new LockDefinitionException("Lock '" + request.key() + "' was requested with keep = " + keep
					+ ", but the store '" + this.description.name() + "' does not keep locks: leave keep out");
		}
		if (request.fair() && !this.description.fair()) {
			throw new LockDefinitionException("Lock '" + request.key() + "' was requested as fair, which the store '"
					+ this.description.name() + "' does not support: leave fair out");
		}
	}

}
