package io.github.distlock.backend.local;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;

import io.github.distlock.backend.LockBackend.Renewal;
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
	 * Take the lock if it is free, or wait for it.
	 */
	LocalAnswer attempt(LocalTicket asker, boolean queue) {
		this.lock.lock();
		try {
			LocalLock key = obtain(asker.ticket().key());
			return attempt(key, asker, queue);
		}
		finally {
			this.lock.unlock();
		}
	}

	private LocalAnswer attempt(LocalLock key, LocalTicket asker, boolean queue) {
		long now = this.clock.nanoTime();
		LocalGrant current = key.grant(now);
		boolean passedOn = current == null;
		if (current == null) {
			LocalTicket oldest = key.takeOldest();
			current = key.own((oldest != null) ? oldest : asker, now, micros(now));
		}
		if (current.isOf(asker.ticket())) {
			return new LocalAnswer(true, current, true, false, null);
		}
		boolean queuedNow = queue && key.queue(asker);
		return new LocalAnswer(true, current, false, queuedNow, passedOn ? current : null);
	}

	/**
	 * Give the lock back, and let the next one wait for it.
	 */
	LocalAnswer release(Ticket ticket, long usedToken, @Nullable LocalTicket next) {
		this.lock.lock();
		try {
			LocalLock key = this.locks.get(ticket.key());
			long now = this.clock.nanoTime();
			LocalGrant current = (key != null) ? key.grant(now) : null;
			if (key == null || current == null || !current.isOf(ticket)) {
				return LocalAnswer.GONE;
			}
			key.free(current, usedToken);
			if (next != null) {
				boolean queuedNow = key.queue(next);
				LocalAnswer answer = attempt(key, next, false);
				return answer.queued(queuedNow && !answer.granted());
			}
			return new LocalAnswer(true, null, false, false, passOn(ticket.key(), key, now));
		}
		finally {
			this.lock.unlock();
		}
	}

	/**
	 * Wait no more, and hold no more.
	 * @return who is to be told that it was granted the lock
	 */
	@Nullable LocalGrant cancel(Ticket ticket) {
		this.lock.lock();
		try {
			LocalLock key = this.locks.get(ticket.key());
			if (key == null) {
				return null;
			}
			long now = this.clock.nanoTime();
			key.forget(ticket);
			LocalGrant current = key.grant(now);
			if (current != null && current.isOf(ticket)) {
				key.free(current, 0);
			}
			return (key.grant(now) == null) ? passOn(ticket.key(), key, now) : null;
		}
		finally {
			this.lock.unlock();
		}
	}

	/** The lock is free: it goes to the one who has waited longest, or is forgotten. */
	private @Nullable LocalGrant passOn(String name, LocalLock key, long now) {
		LocalTicket oldest = key.takeOldest();
		if (oldest != null) {
			return key.own(oldest, now, micros(now));
		}
		forget(key);
		this.locks.remove(name);
		return null;
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
