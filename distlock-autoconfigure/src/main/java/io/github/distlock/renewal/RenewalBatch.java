package io.github.distlock.renewal;

import java.util.ArrayList;
import java.util.List;

import io.github.distlock.backend.LockStore.Renewal;

/**
 * The leases that are renewed by one command. Used by one thread at a time.
 */
final class RenewalBatch {

	private final int size;

	private final List<Lease> leases;

	private final List<Renewal> renewals;

	private final List<LeaseTerms> terms;

	private final List<Lease> atRisk = new ArrayList<>(0);

	private long dueNanos;

	/** How many of the leases have been answered. */
	private int answered;

	/**
	 * Begin a batch that is due now. A lease that should have been renewed earlier makes
	 * the batch due since then.
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

	/**
	 * Record that the next lease, in their order, has been answered.
	 * @param risk whether it was found to be at risk
	 */
	void answered(boolean risk) {
		if (risk) {
			this.atRisk.add(this.leases.get(this.answered));
		}
		this.answered++;
	}

	/** Let the leases that have not been answered be retried. */
	void fail() {
		for (Lease lease : this.leases.subList(this.answered, this.leases.size())) {
			if (lease.renewalFailed()) {
				this.atRisk.add(lease);
			}
		}
	}

	/** Return the leases that this batch has put at risk. */
	List<Lease> atRisk() {
		return this.atRisk;
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

	/** The terms under which each lease is renewed. */
	List<LeaseTerms> terms() {
		return this.terms;
	}

	/** Return how much later than planned an answer is that arrives now. */
	long latenessNanos(long nowNanos) {
		return Math.max(0, nowNanos - this.dueNanos);
	}

}
