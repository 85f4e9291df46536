package io.github.distlock.renewal;

import java.util.ArrayList;
import java.util.List;

import io.github.distlock.backend.LockStore.Renewal;

/**
 * Leases that are renewed by one command, and since when that is due.
 */
final class RenewalBatch {

	private final int size;

	private final List<Lease> leases;

	private final List<Renewal> renewals;

	private final List<LeaseTerms> terms;

	private long dueNanos;

	/** How many of them have been answered; only the thread that sends it counts. */
	private int answered;

	/**
	 * Begin a batch that is due now; a lease that should have been renewed before makes
	 * it due since then.
	 */
	RenewalBatch(long nowNanos, int size) {
		this.dueNanos = nowNanos;
		this.size = size;
		this.leases = new ArrayList<>(size);
		this.renewals = new ArrayList<>(size);
		this.terms = new ArrayList<>(size);
	}

	void add(Lease lease) {
		long planned = lease.plannedNanos();
		if (planned - this.dueNanos < 0) {
			this.dueNanos = planned;
		}
		LeaseTerms current = lease.terms();
		this.leases.add(lease);
		this.terms.add(current);
		this.renewals.add(lease.beginRenewal(current));
	}

	/** One more of them, in their order, has been answered. */
	void answered() {
		this.answered++;
	}

	/** Those that have no answer are tried again. */
	void fail() {
		this.leases.subList(this.answered, this.leases.size()).forEach(Lease::renewalFailed);
	}

	boolean isFull() {
		return this.leases.size() == this.size;
	}

	List<Lease> leases() {
		return this.leases;
	}

	List<Renewal> renewals() {
		return this.renewals;
	}

	/** Under which terms each of them was asked for. */
	List<LeaseTerms> terms() {
		return this.terms;
	}

	/** How long after its time an answer is that came now. */
	long latenessNanos(long nowNanos) {
		return Math.max(0, nowNanos - this.dueNanos);
	}

}
