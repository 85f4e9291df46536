package io.github.distlock.actuate;

import java.time.Clock;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;

import io.github.distlock.LockListener;
import io.github.distlock.LockOutcome;
import org.jspecify.annotations.Nullable;

/**
 * Keeps the last losses, time-outs and releases by operators of each store, so that they
 * can be read after the fact. Thread-safe. An acquisition that succeeds costs one
 * comparison.
 */
public final class RecentLockEvents implements LockListener {

	/** How many events are kept for each store. */
	static final int CAPACITY = 100;

	private final Clock clock;

	/** By the name of the store. */
	private final Map<String, Ring> rings = new ConcurrentHashMap<>();

	/**
	 * Create the memory, without events.
	 * @param clock the clock of the events
	 */
	public RecentLockEvents(Clock clock) {
		this.clock = clock;
	}

	@Override
	public void onAttempted(Attempted event) {
		if (event.outcome() == LockOutcome.TIMEOUT) {
			add(event.backend(), event.key(), event.name(), RecentEventKind.TIMEOUT,
					"not acquired within " + Milliseconds.of(event.waited()));
		}
	}

	@Override
	public void onLost(Lost event) {
		// Not the reason of the event: it can name hosts, which are not masked in a text.
		add(event.backend(), event.key(), event.name(), RecentEventKind.LOST, event.lossCause().name() + " after "
				+ event.held() + ": " + event.lossCause().description() + ". " + event.lossCause().remedy());
	}

	/** Remember what an operator has released through this application. */
	void released(String backend, String key, @Nullable String name, String detail) {
		add(backend, key, name, RecentEventKind.RELEASED, detail);
	}

	private void add(String backend, @Nullable String key, @Nullable String name, RecentEventKind kind, String detail) {
		this.rings.computeIfAbsent(backend, (store) -> new Ring())
			.add(new RecentEvent(key, name, kind, this.clock.instant(), detail));
	}

	/** Return the events of a store, the newest first. */
	List<RecentEvent> latest(String backend) {
		Ring ring = this.rings.get(backend);
		return (ring != null) ? ring.latest() : List.of();
	}

	/**
	 * What kind of event it is.
	 */
	enum RecentEventKind {

		/** A held lock was lost. */
		LOST,

		/** A caller did not get its lock in time. */
		TIMEOUT,

		/** An operator has released a lock through this application. */
		RELEASED

	}

	/**
	 * One event.
	 *
	 * @param key the key of the lock, {@code null} if there was none
	 * @param name the declared name of the lock, {@code null} if it is not known
	 * @param kind what kind of event it is
	 * @param at when it happened
	 * @param detail what happened, without keys, hosts and callers
	 */
	record RecentEvent(@Nullable String key, @Nullable String name, RecentEventKind kind, Instant at, String detail) {
	}

	/**
	 * The events of one store.
	 */
	private static final class Ring {

		private final ReentrantLock lock = new ReentrantLock();

		/** The newest first, at most {@link #CAPACITY}. Guarded by {@link #lock}. */
		private final Deque<RecentEvent> events = new ArrayDeque<>();

		void add(RecentEvent event) {
			this.lock.lock();
			try {
				if (this.events.size() == CAPACITY) {
					this.events.removeLast();
				}
				this.events.addFirst(event);
			}
			finally {
				this.lock.unlock();
			}
		}

		List<RecentEvent> latest() {
			this.lock.lock();
			try {
				return new ArrayList<>(this.events);
			}
			finally {
				this.lock.unlock();
			}
		}

	}

}
