package io.github.distlock.backend.local;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;

import io.github.distlock.backend.LockStore.Renewal;
import io.github.distlock.backend.Ticket;
import io.github.distlock.backend.TimeSource;
import org.jspecify.annotations.Nullable;

/**
 * What a lock server would be, inside this JVM: all locks, in memory. Those who are to
 * exclude each other use backends over the same store. Thread-safe. It has no threads and
 * no timers: a lease that has ended is found by whoever comes next.
 */
public final class LocalStore {

	private static final int SMALLEST_SWEEP = 64;

	private final TimeSource clock;

	/** Tokens are microseconds since 1970 when the clock behaves. */
	private final long originMicros;

	private final ReentrantLock lock = new ReentrantLock();

	/** Guarded by {@link #lock}, as is all that follows. */
	private final Map<String, LocalLock> locks = new HashMap<>();

	/** No token of a key that is not in the map was ever higher. */
	private long lastToken;

	/** From this size on it is worth looking for leases that have ended. */
	private int nextSweep = SMALLEST_SWEEP;

	/**
	 * Create a store without locks.
	 * @param clock by which leases end; of the backends' clocks only the monotonic one
	 * must go as fast
	 */
	public LocalStore(TimeSource clock) {
		this.clock = clock;
		this.originMicros = clock.wallMillis() * 1000 - clock.nanoTime() / 1000;
	}

	/** What is left of a lease. */
	Duration remaining(LocalGrant grant) {
		return Duration.ofNanos(Math.max(0, grant.endNanos() - this.clock.nanoTime()));
	}

	/**
	 * Take the lock if it may be had, or wait for it.
	 */
	LocalAnswer attempt(LocalTicket asker, boolean queue) {
		this.lock.lock();
		try {
			return attempt(obtain(asker.ticket().key()), asker, queue, this.clock.nanoTime());
		}
		finally {
			this.lock.unlock();
		}
	}

	private LocalAnswer attempt(LocalLock key, LocalTicket asker, boolean queue, long now) {
		// Leases may have ended.
		List<LocalGrant> others = key.letIn(now, micros(now));
		LocalGrant mine = key.grant(asker.ticket(), now);
		if (mine == null && key.isFreeFor(asker.ticket())) {
			mine = key.own(asker, now, micros(now));
		}
		if (mine != null) {
			others.remove(mine);
			return LocalAnswer.granted(true, mine, others);
		}
		boolean queuedNow = queue && key.queue(asker);
		// Who waits looks when one of those who hold may have died.
		return new LocalAnswer(true, null, key.remaining(queue, now), queuedNow, others);
	}

	/**
	 * Give the lock back, and let the next one wait for it, or keep it as a reader.
	 */
	LocalAnswer release(Ticket ticket, long usedToken, @Nullable LocalTicket next) {
		this.lock.lock();
		try {
			LocalLock key = this.locks.get(ticket.key());
			return (key != null) ? release(key, ticket, usedToken, next) : LocalAnswer.GONE;
		}
		finally {
			this.lock.unlock();
		}
	}

	private LocalAnswer release(LocalLock key, Ticket ticket, long usedToken, @Nullable LocalTicket next) {
		long now = this.clock.nanoTime();
		LocalGrant current = key.grant(ticket, now);
		if (current == null) {
			LocalGrant done = (next != null) ? key.grant(next.ticket(), now) : null;
			return (done != null) ? LocalAnswer.granted(false, done, List.of()) : LocalAnswer.GONE;
		}
		key.free(current, usedToken);
		if (next == null) {
			return new LocalAnswer(true, null, Duration.ZERO, false, passOn(ticket.key(), key, now));
		}
		if (next.ticket().isReader() && !ticket.isReader()) {
			LocalGrant kept = key.own(next, now, micros(now));
			return LocalAnswer.granted(true, kept, key.letIn(now, micros(now)));
		}
		// Behind all who wait, if there is anybody.
		boolean queuedNow = key.queue(next);
		LocalAnswer answer = attempt(key, next, true, now);
		return new LocalAnswer(true, answer.granted(), answer.remaining(), queuedNow, answer.toTell());
	}

	/**
	 * Wait no more, and hold no more.
	 * @return who are to be told that they were granted the lock
	 */
	List<LocalGrant> cancel(Ticket ticket) {
		this.lock.lock();
		try {
			LocalLock key = this.locks.get(ticket.key());
			if (key == null) {
				return List.of();
			}
			long now = this.clock.nanoTime();
			key.forget(ticket);
			LocalGrant current = key.grant(ticket, now);
			if (current != null) {
				key.free(current, 0);
			}
			return passOn(ticket.key(), key, now);
		}
		finally {
			this.lock.unlock();
		}
	}

	/** Somebody left: those who may come in now do, or the key is forgotten. */
	private List<LocalGrant> passOn(String name, LocalLock key, long now) {
		List<LocalGrant> others = key.letIn(now, micros(now));
		if (key.isForgettable(now)) {
			forget(key);
			this.locks.remove(name);
		}
		return others;
	}

	/**
	 * Lengthen leases.
	 * @return for each whether it was held
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

	/** How many keys are held or waited for. */
	int size() {
		this.lock.lock();
		try {
			sweep();
			return this.locks.size();
		}
		finally {
			this.lock.unlock();
		}
	}

	/** Lose all data, as a server does. */
	void clear() {
		this.lock.lock();
		try {
			this.locks.clear();
			this.lastToken = 0;
		}
		finally {
			this.lock.unlock();
		}
	}

	private LocalLock obtain(String name) {
		LocalLock known = this.locks.get(name);
		if (known != null) {
			return known;
		}
		if (this.locks.size() >= this.nextSweep) {
			sweep();
			this.nextSweep = Math.max(SMALLEST_SWEEP, this.locks.size() * 2);
		}
		LocalLock fresh = new LocalLock(this.lastToken);
		this.locks.put(name, fresh);
		return fresh;
	}

	private void sweep() {
		long now = this.clock.nanoTime();
		this.locks.values().removeIf((key) -> {
			boolean over = key.isForgettable(now);
			if (over) {
				forget(key);
			}
			return over;
		});
	}

	private void forget(LocalLock key) {
		this.lastToken = Math.max(this.lastToken, key.lastToken());
	}

	private long micros(long nanos) {
		return this.originMicros + nanos / 1000;
	}

}
