package io.github.distlock.torture.check;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import io.github.distlock.torture.history.Attempt;
import io.github.distlock.torture.history.History;
import io.github.distlock.torture.history.Kind;

/**
 * S8: without faults, the other JVMs enter at most (M - 1)(budget + 1) times before a
 * waiting JVM enters. A store that JVMs poll does not order them.
 */
final class OvertakingRule implements Rule {

	/** The time until all inboxes are subscribed again and the queue is in order. */
	private static final Duration RECOVERY = Duration.ofSeconds(3);

	/** Entries that were granted before the wait began may be recorded after it. */
	private static final int LATE_RECORDS = 1;

	private final int budget;

	OvertakingRule(int budget) {
		this.budget = budget;
	}

	@Override
	public List<Violation> check(History history) {
		if (!history.events(Kind.POLLED).isEmpty()) {
			return List.of();
		}
		FaultTimes faultTimes = new FaultTimes(history.faults(), (fault) -> true, RECOVERY);
		List<Violation> violations = new ArrayList<>();
		history.attemptsByKey().values().forEach((attempts) -> {
			List<Attempt> entries = attempts.stream()
				.filter(Attempt::isGranted)
				.sorted(Comparator.comparingLong(Attempt::granted))
				.toList();
			check(entries, faultTimes, violations);
		});
		return violations;
	}

	/** Fair callers and readers have tickets of their own, not shared with their JVM. */
	private static String place(Attempt attempt) {
		return (attempt.isFair() || attempt.reads()) ? attempt.id() : attempt.worker();
	}

	private void check(List<Attempt> entries, FaultTimes faultTimes, List<Violation> violations) {
		Map<String, Attempt> last = new HashMap<>();
		for (int i = 0; i < entries.size(); i++) {
			Attempt entry = entries.get(i);
			Attempt before = last.put(place(entry), entry);
			// A JVM is queued again from its last release on.
			long from = (before == null || before.released() == Attempt.NEVER) ? entry.waiting()
					: Math.max(before.released(), entry.waiting());
			if (entry.waiting() == Attempt.NEVER || entry.claim().isEmpty()
					|| faultTimes.faultFreeNanos(from, entry.granted()) < entry.granted() - from) {
				continue;
			}
			List<Attempt> others = entries.subList(Math.min(i, firstAfter(entries, from)), i);
			long places = others.stream().map(OvertakingRule::place).distinct().count();
			long most = places * (this.budget + 1) + LATE_RECORDS;
			if (others.size() > most) {
				violations.add(Violation.of("S8",
						others.size() + " entries of " + places + " others overtook " + entry + ", more than " + most,
						entry));
			}
		}
	}

	private static int firstAfter(List<Attempt> entries, long nanos) {
		int low = 0;
		int high = entries.size();
		while (low < high) {
			int middle = (low + high) >>> 1;
			if (entries.get(middle).granted() <= nanos) {
				low = middle + 1;
			}
			else {
				high = middle;
			}
		}
		return low;
	}

}
