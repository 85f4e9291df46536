package io.github.distlock.renewal;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.locks.Lock;

import io.github.distlock.environment.EngineEnvironment;
import org.jspecify.annotations.Nullable;

/**
 * The watched leases of a registry. Each lease stores its index in an array, so it costs
 * one reference and no node. There are several arrays, so that threads rarely contend for
 * a lock. Thread-safe.
 */
final class LeaseSet {

	/** The index of a lease that is not in the set. */
	static final int NOT_IN_SET = -1;

	private static final int STRIPES = 16;

	private final Stripe[] stripes = new Stripe[STRIPES];

	LeaseSet(EngineEnvironment environment) {
		Arrays.setAll(this.stripes, (number) -> new Stripe(environment.newLock()));
	}

	void add(Lease lease) {
		stripe(lease).add(lease);
	}

	/** Remove a lease. Does nothing if it was removed before. */
	void remove(Lease lease) {
		stripe(lease).remove(lease);
	}

	int size() {
		return Arrays.stream(this.stripes).mapToInt((stripe) -> stripe.size).sum();
	}

	/** Return the leases that are in the set now. */
	List<Lease> snapshot() {
		List<Lease> all = new ArrayList<>(size());
		for (Stripe stripe : this.stripes) {
			stripe.copyTo(all);
		}
		return all;
	}

	private Stripe stripe(Lease lease) {
		return this.stripes[(int) (lease.ticket().number() % STRIPES)];
	}

	private static final class Stripe {

		private static final int MINIMUM_CAPACITY = 4;

		private final Lock lock;

		/** Guarded by {@link #lock}, as are the indices of the leases in it. */
		private @Nullable Lease[] leases = new Lease[MINIMUM_CAPACITY];

		/** Guarded by {@link #lock} for writing. */
		private volatile int size;

		Stripe(Lock lock) {
			this.lock = lock;
		}

		void add(Lease lease) {
			this.lock.lock();
			try {
				int end = this.size;
				if (end == this.leases.length) {
					this.leases = Arrays.copyOf(this.leases, end + end / 2);
				}
				this.leases[end] = lease;
				lease.index = end;
				this.size = end + 1;
			}
			finally {
				this.lock.unlock();
			}
		}

		void remove(Lease lease) {
			this.lock.lock();
			try {
				int index = lease.index;
				if (index == NOT_IN_SET) {
					return;
				}
				lease.index = NOT_IN_SET;
				int end = this.size - 1;
				Lease last = this.leases[end];
				this.leases[end] = null;
				if (last != null && last != lease) {
					this.leases[index] = last;
					last.index = index;
				}
				this.size = end;
				if (this.leases.length > MINIMUM_CAPACITY && end < this.leases.length / 4) {
					shrink();
				}
			}
			finally {
				this.lock.unlock();
			}
		}

		private void shrink() {
			try {
				this.leases = Arrays.copyOf(this.leases, Math.max(MINIMUM_CAPACITY, this.leases.length / 2));
			}
			catch (OutOfMemoryError ex) {
				// Keep the larger array: the removal must not fail.
			}
		}

		void copyTo(List<Lease> all) {
			this.lock.lock();
			try {
				for (int i = 0; i < this.size; i++) {
					Lease lease = this.leases[i];
					if (lease != null) {
						all.add(lease);
					}
				}
			}
			finally {
				this.lock.unlock();
			}
		}

	}

}
