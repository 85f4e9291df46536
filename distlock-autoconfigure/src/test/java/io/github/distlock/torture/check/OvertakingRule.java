package io.github.distlock.torture.check;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import io.github.distlock.torture.history.Attempt;
import io.github.distlock.torture.history.History;

/**
 * S8: while nothing is broken, the others enter (M - 1)(budget + 1) times at most before
 * a JVM that waits enters.
 */
final class OvertakingRule implements Rule {

	/** Until every inbox is heard again, and the queue is in order. */
	private static final Duration RECOVERY = Duration.ofSeconds(3);

	/**
	 * Who was granted the lock before the wait began may record it only afterwards.
	 */
	private static final int LATE_RECORDS = 1;

	private final int budget;

	OvertakingRule(int budget) {
		this.budget = budget;
	}

	@Override
	public List<Violation> check(History history) {
		Troubles troubles = new Troubles(history.faults(), (fault) -> true, RECOVERY);
		List<Violation> violations = new ArrayList<>();
		history.attemptsByKey().values().forEach((attempts) -> {
			List<Attempt> entries = attempts.stream()
				.filter(Attempt::isGranted)
				.sorted(Comparator.comparingLong(Attempt::granted))
				.toList();
			check(entries, troubles, violations);
		});
		return violations;
	}

	/**
	 * Fair callers and readers have places of their own, which their JVM does not share.
	 */
	private static String place(Attempt attempt) {
		return (attempt.isFair() || attempt.reads()) ? attempt.id() : attempt.worker();
	}

	private void check(List<Attempt> entries, Troubles troubles, List<Violation> violations) {
		Map<String, Attempt> last = new HashMap<>();
		for (int i = 0; i < entries.size(); i++) {
			Attempt entry = entries.get(i);
			Attempt before = last.put(place(entry), entry);
			// From its last release on it is queued again.
			long from = (before == null || before.released() == Attempt.NEVER) ? entry.waiting()
					: Math.max(before.released(), entry.waiting());
			if (entry.waiting() == Attempt.NEVER || entry.claim().isEmpty()
					|| troubles.quiet(from, entry.granted()) < entry.granted() - from) {
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
