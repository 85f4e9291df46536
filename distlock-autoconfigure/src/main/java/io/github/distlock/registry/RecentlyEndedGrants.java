package io.github.distlock.registry;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.locks.Lock;

import io.github.distlock.backend.Ticket;

/**
 * The grants of this JVM that an operator has ended, the latest ones. The report of the
 * store may come before the lock is added to the held ones, and a refused renewal or
 * release asks here for its cause. Thread-safe.
 */
final class RecentlyEndedGrants {

	private static final int MAXIMUM = 1000;

	private final Lock lock;

	/** The first token of each grant. Guarded by {@link #lock}. */
	private final Map<Ticket, Long> grants = new LinkedHashMap<>() {

		@Override
		protected boolean removeEldestEntry(Map.Entry<Ticket, Long> eldest) {
			return size() > MAXIMUM;
		}

	};

	/** Almost always false, so that locks are added without taking the lock. */
	private volatile boolean any;

	RecentlyEndedGrants(Lock lock) {
		this.lock = lock;
	}

	void add(Ticket ticket, long grantToken) {
		this.lock.lock();
		try {
			this.grants.put(ticket, grantToken);
			this.any = true;
		}
		finally {
			this.lock.unlock();
		}
	}

	void remove(Ticket ticket) {
		this.lock.lock();
		try {
			this.grants.remove(ticket);
		}
		finally {
			this.lock.unlock();
		}
	}

	boolean contains(Ticket ticket, long grantToken) {
		if (!this.any) {
			return false;
		}
		this.lock.lock();
		try {
			Long ended = this.grants.get(ticket);
			return ended != null && ended == grantToken;
		}
		finally {
			this.lock.unlock();
		}
	}

}
