package io.github.distlock.actuate;

import java.time.Clock;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedDeque;

import io.github.distlock.LockListener;
import io.github.distlock.LockOutcome;
import io.github.distlock.actuate.LocksDescriptor.RecentDescriptor;
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
	private final Map<String, Deque<RecentDescriptor>> events = new ConcurrentHashMap<>();

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
			add(event.backend(), event.key(), event.name(), "timeout",
					"not acquired within " + Milliseconds.of(event.waited()));
		}
	}

	@Override
	public void onLost(Lost event) {
		// Not the reason of the event: it can name hosts, which are not masked in a text.
		add(event.backend(), event.key(), event.name(), "lost", event.lossCause().name() + " after " + event.held()
				+ ": " + event.lossCause().description() + ". " + event.lossCause().remedy());
	}

	/** Remember what an operator has released through this application. */
	void released(String backend, String key, String detail) {
		add(backend, key, null, "released", detail);
	}

	private void add(String backend, @Nullable String key, @Nullable String name, String event, String detail) {
		Deque<RecentDescriptor> events = this.events.computeIfAbsent(backend, (store) -> new ConcurrentLinkedDeque<>());
		events.addFirst(new RecentDescriptor(key, name, event, Milliseconds.of(this.clock.instant()), detail));
		while (events.size() > CAPACITY) {
			events.pollLast();
		}
	}

	/** Return the events of a store, the latest first. Keys are not masked. */
	List<RecentDescriptor> latest(String backend) {
		return List.copyOf(this.events.getOrDefault(backend, new ConcurrentLinkedDeque<>()));
	}

}
