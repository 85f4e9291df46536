package io.github.distlock.backend.local;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;

import io.github.distlock.backend.LockStore.Renewal;
import io.github.distlock.backend.StoreInspection.EndResult;
import io.github.distlock.backend.StoredLock;
import io.github.distlock.backend.StoredLock.StoredHolder;
import io.github.distlock.backend.StoredLock.StoredWaiter;
import io.github.distlock.backend.Ticket;
import io.github.distlock.backend.TimeSource;
import io.github.distlock.backend.local.LocalLock.LocalGrant;
import io.github.distlock.backend.local.LocalLock.LocalTicket;
import io.github.distlock.backend.local.LocalLock.TicketUser;
import org.jspecify.annotations.Nullable;

/**
 * All locks of a local store, in memory. It is the equivalent of a lock server: backends
 * that are to exclude each other share one. It has no threads and no timers: the next
 * command finds leases that have ended. Thread-safe.
 */
public final class LocalStore {

	private static final int SMALLEST_CLEAN_UP = 64;

	private final TimeSource clock;

	/**
	 * Added to the monotonic clock it gives microseconds since 1970, which are the
	 * tokens.
	 */
	private final long originMicros;

	private final ReentrantLock lock = new ReentrantLock();

	/** By key. Guarded by {@link #lock}, as are all fields below. */
	private final Map<String, LocalLock> locks;

	/** At least as high as each token of a key that is not in the map. */
	private long lastToken;

	/** An empty lock that was removed from the map, to be used for the next key. */
	private @Nullable LocalLock spare;

	/** The number of keys from which on unused ones are removed. */
	private int nextCleanUp = SMALLEST_CLEAN_UP;

	/**
	 * Create a store without locks.
	 * @param clock the clock by which leases end; the monotonic clocks of the backends
	 * must run at the same speed
	 */
	public LocalStore(TimeSource clock) {
		this(clock, new HashMap<>());
	}

	LocalStore(TimeSource clock, Map<String, LocalLock> locks) {
		this.clock = clock;
		this.originMicros = clock.wallMillis() * 1000 - clock.nanoTime() / 1000;
		this.locks = locks;
	}

	/** The remaining lease of a grant. */
	Duration remaining(LocalGrant grant) {
		return Duration.ofNanos(Math.max(0, grant.endNanos() - this.clock.nanoTime()));
	}

	/** A moment by the clock of this store; now if a user has read another one. */
	long nanosOf(TimeSource.Instant moment, TimeSource clock) {
		return (clock == this.clock) ? moment.nanos() : this.clock.nanoTime();
	}

	/**
	 * Take a lock if it is unused; otherwise return {@code null}. No lease is compared
	 * with the time, so the new one may count from an earlier moment.
	 */
	@Nullable LocalGrant attemptUnused(Ticket ticket, Duration lease, TicketUser user, long beganNanos) {
		this.lock.lock();
		try {
			if (this.locks.containsKey(ticket.key())) {
				return null;
			}
			return create(ticket.key()).grant(ticket, lease, user, beganNanos, micros(beganNanos));
		}
		finally {
			this.lock.unlock();
		}
	}

	/** Take the lock if it is available, or wait for it. */
	LocalResult attempt(LocalTicket ticket, boolean queue) {
		this.lock.lock();
		try {
			return attempt(obtain(ticket.ticket().key()), ticket, queue, this.clock.nanoTime());
		}
		finally {
			this.lock.unlock();
		}
	}

	private LocalResult attempt(LocalLock key, LocalTicket ticket, boolean queue, long now) {
		// Before the queue is served: a grant has the lease of the latest attempt.
		key.updateLease(ticket);
		// Leases may have ended.
		List<LocalGrant> others = key.grantToQueue(now, micros(now));
		LocalGrant granted = key.find(ticket.ticket(), now);
		if (granted == null && key.isAvailableFor(ticket.ticket())) {
			granted = key.grant(ticket, now, micros(now));
		}
		if (granted != null) {
			others.remove(granted);
			return LocalResult.granted(granted, others);
		}
		boolean queuedNow = queue && key.enqueue(ticket);
		// A waiting ticket is attempted again when the first holder may have died.
		Duration remaining = queue ? key.untilFirstLeaseEnds(now) : key.untilLastLeaseEnds(now);
		StoredHolder holder = key.holders(now).findFirst().map((grant) -> grant.stored(now)).orElse(null);
		return new LocalResult(true, null, remaining, queuedNow, holder, others);
	}

	/**
	 * Release a lock that no other ticket holds or waits for. This is the usual case.
	 * @return whether it was released; if not, another ticket may need it
	 */
	boolean releaseUnshared(Ticket ticket, long usedToken) {
		this.lock.lock();
		try {
			LocalLock key = this.locks.get(ticket.key());
			LocalGrant current = (key != null) ? key.findOnly(ticket, this.clock.nanoTime()) : null;
			if (key == null || current == null) {
				return false;
			}
			key.release(current, usedToken);
			forget(ticket.key(), key);
			return true;
		}
		finally {
			this.lock.unlock();
		}
	}

	/** Release the lock, and queue the next ticket. */
	LocalResult release(Ticket ticket, long usedToken, @Nullable LocalTicket next) {
		this.lock.lock();
		try {
			LocalLock key = this.locks.get(ticket.key());
			return (key != null) ? release(key, ticket, usedToken, next) : LocalResult.GONE;
		}
		finally {
			this.lock.unlock();
		}
	}

	private LocalResult release(LocalLock key, Ticket ticket, long usedToken, @Nullable LocalTicket next) {
		long now = this.clock.nanoTime();
		LocalGrant current = key.find(ticket, now);
		if (current == null) {
			return LocalResult.GONE;
		}
		key.release(current, usedToken);
		if (next == null) {
			return new LocalResult(true, null, Duration.ZERO, false, null, grantNext(ticket.key(), key, now));
		}
		// Behind all tickets that wait already.
		boolean queuedNow = key.enqueue(next);
		LocalResult attempt = attempt(key, next, true, now);
		return new LocalResult(true, attempt.granted(), attempt.remaining(), queuedNow, attempt.holder(),
				attempt.toNotify());
	}

	/**
	 * Remove a ticket, whether it waits or holds the lock.
	 * @return the new grants, of which the waiting tickets are to be notified
	 */
	List<LocalGrant> cancel(Ticket ticket) {
		this.lock.lock();
		try {
			LocalLock key = this.locks.get(ticket.key());
			if (key == null) {
				return List.of();
			}
			long now = this.clock.nanoTime();
			key.dequeue(ticket);
			LocalGrant current = key.find(ticket, now);
			if (current != null) {
				key.release(current, 0);
			}
			return grantNext(ticket.key(), key, now);
		}
		finally {
			this.lock.unlock();
		}
	}

	/** After a ticket was removed: grant the lock to the queue, or forget the key. */
	private List<LocalGrant> grantNext(String name, LocalLock key, long now) {
		List<LocalGrant> others = key.grantToQueue(now, micros(now));
		if (key.isUnused(now)) {
			forget(name, key);
		}
		return others;
	}

	private void forget(String name, LocalLock key) {
		keepLastToken(key);
		this.locks.remove(name);
		if (key.isEmpty()) {
			this.spare = key;
		}
	}

	/**
	 * Renew leases.
	 * @return for each whether the ticket holds the lock
	 */
	List<Boolean> renew(List<Renewal> renewals) {
		this.lock.lock();
		try {
			long now = this.clock.nanoTime();
			List<Boolean> held = new ArrayList<>(renewals.size());
			for (Renewal renewal : renewals) {
				LocalLock key = this.locks.get(renewal.ticket().key());
				held.add(key != null && key.renew(renewal, now));
			}
			return held;
		}
		finally {
			this.lock.unlock();
		}
	}

	/** Describe a lock. */
	StoredLock inspect(String name) {
		this.lock.lock();
		try {
			LocalLock key = this.locks.get(name);
			if (key == null) {
				return new StoredLock(name, List.of(), List.of());
			}
			long now = this.clock.nanoTime();
			return new StoredLock(name, key.holders(now).map((grant) -> grant.stored(now)).toList(),
					key.waiting().map((ticket) -> new StoredWaiter(ticket.instance(), ticket.mode())).toList());
		}
		finally {
			this.lock.unlock();
		}
	}

	/** End the grant with a given first token. */
	LocalEnd end(String name, long grantToken) {
		this.lock.lock();
		try {
			LocalLock key = this.locks.get(name);
			long now = this.clock.nanoTime();
			if (key == null || key.holders(now).findAny().isEmpty()) {
				return LocalEnd.NOT_HELD;
			}
			LocalGrant grant = key.holders(now)
				.filter((held) -> held.firstToken() == grantToken)
				.findAny()
				.orElse(null);
			return (grant != null) ? end(name, key, grant, now) : LocalEnd.CHANGED;
		}
		finally {
			this.lock.unlock();
		}
	}

	/** The holder may still use any token of the grant, so none is given again. */
	private LocalEnd end(String name, LocalLock key, LocalGrant grant, long now) {
		key.release(grant, grant.lastToken());
		return new LocalEnd(EndResult.ENDED, grant, grantNext(name, key, now));
	}

	private LocalLock obtain(String name) {
		LocalLock existing = this.locks.get(name);
		return (existing != null) ? existing : create(name);
	}

	private LocalLock create(String name) {
		if (this.locks.size() >= this.nextCleanUp) {
			removeUnused();
			this.nextCleanUp = Math.max(SMALLEST_CLEAN_UP, this.locks.size() * 2);
		}
		LocalLock created = ((this.spare != null) ? this.spare : new LocalLock()).begin(this.lastToken);
		this.spare = null;
		this.locks.put(name, created);
		return created;
	}

	private void removeUnused() {
		long now = this.clock.nanoTime();
		this.locks.values().removeIf((key) -> {
			boolean unused = key.isUnused(now);
			if (unused) {
				keepLastToken(key);
			}
			return unused;
		});
	}

	private void keepLastToken(LocalLock key) {
		this.lastToken = Math.max(this.lastToken, key.lastToken());
	}

	private long micros(long nanos) {
		return this.originMicros + nanos / 1000;
	}

}
