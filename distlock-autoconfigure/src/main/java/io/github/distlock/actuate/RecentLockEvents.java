package io.github.distlock.actuate;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.ConcurrentNavigableMap;
import java.util.concurrent.ConcurrentSkipListMap;

import io.github.distlock.LockListener;
import io.github.distlock.LockOutcome;
import io.github.distlock.LossCause;
import io.github.distlock.actuate.LocksDescriptor.RecentDescriptor;

/**
 * Keeps the last losses, time-outs and releases by operators of each store, so that they
 * can be read after the fact, and counts the losses of the last ten minutes. Thread-safe.
 * An acquisition that succeeds costs one comparison.
 */
public final class RecentLockEvents implements LockListener {

	/** How many events of a kind are kept for each store. */
	static final int CAPACITY = 100;

	private static final long COUNTED_SECONDS = Duration.ofMinutes(10).toSeconds();

	private final Clock clock;

	/**
	 * By the name of the store and the kind of the event, so that many time-outs do not
	 * displace the losses.
	 */
	private final Map<String, Map<String, Deque<RecentDescriptor>>> events = new ConcurrentHashMap<>();

	/** How many locks were lost in each of the last seconds. */
	private final Map<LossKind, ConcurrentNavigableMap<Long, Integer>> losses = new ConcurrentHashMap<>();

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
			add(event.backend(), new RecentDescriptor(event.key(), event.name(), "timeout", null, null, now(),
					"not acquired within " + Milliseconds.of(event.waited())));
		}
	}

	@Override
	public void onLost(Lost event) {
		LossCause cause = event.lossCause();
		// Not the reason of the event: it can name hosts, which are not masked in a text.
		add(event.backend(),
				new RecentDescriptor(event.key(), event.name(), "lost", cause, event.fencingToken(), now(),
						cause.name() + " after " + Milliseconds.of(event.held()) + ": " + cause.description() + ". "
								+ cause.remedy()));
		losses(event.backend(), cause == LossCause.RELEASED_BY_OPERATOR).merge(this.clock.instant().getEpochSecond(), 1,
				Integer::sum);
	}

	/** Remember what an operator has released through this application. */
	void released(String backend, String key, long grantToken) {
		add(backend, new RecentDescriptor(key, null, "released", null, grantToken, now(),
				"an operator has ended grant " + grantToken + " through this application"));
	}

	private Instant now() {
		return Milliseconds.of(this.clock.instant());
	}

	private void add(String backend, RecentDescriptor event) {
		Deque<RecentDescriptor> events = this.events.computeIfAbsent(backend, (store) -> new ConcurrentHashMap<>())
			.computeIfAbsent(event.event(), (kind) -> new ConcurrentLinkedDeque<>());
		events.addFirst(event);
		while (events.size() > CAPACITY) {
			events.pollLast();
		}
	}

	/** Return the events of a store, the latest first. Keys are not masked. */
	List<RecentDescriptor> latest(String backend) {
		return this.events.getOrDefault(backend, Map.of())
			.values()
			.stream()
			.flatMap(Deque::stream)
			.sorted(Comparator.comparing(RecentDescriptor::at).reversed())
			.toList();
	}

	/**
	 * Return how many locks of a store were lost in the last ten minutes.
	 * @param ended whether to count those that an operator has ended, or all others
	 */
	int lost(String backend, boolean ended) {
		return losses(backend, ended).values().stream().mapToInt(Integer::intValue).sum();
	}

	private ConcurrentNavigableMap<Long, Integer> losses(String backend, boolean ended) {
		ConcurrentNavigableMap<Long, Integer> bySecond = this.losses.computeIfAbsent(new LossKind(backend, ended),
				(kind) -> new ConcurrentSkipListMap<>());
		bySecond.headMap(this.clock.instant().getEpochSecond() - COUNTED_SECONDS).clear();
		return bySecond;
	}

	private record LossKind(String backend, boolean ended) {
	}

}
