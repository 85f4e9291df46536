package io.github.distlock.torture.check;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;

import io.github.distlock.torture.history.Attempt;
import io.github.distlock.torture.history.History;

/**
 * S1: while a lock is guaranteed to one holder it is guaranteed to no other, except to
 * readers together, and except if the store lost data after it was asked for one of the
 * grants and before the second holder entered.
 */
final class ExclusionRule implements Rule {

	@Override
	public List<Violation> check(History history) {
		List<Violation> violations = new ArrayList<>();
		history.attemptsByKey().values().forEach((attempts) -> {
			PriorityQueue<Attempt> inside = new PriorityQueue<>(
					Comparator.comparingLong((attempt) -> attempt.claim().end()));
			attempts.stream()
				.filter((attempt) -> !attempt.claim().isEmpty())
				.sorted(Comparator.comparingLong((attempt) -> attempt.claim().start()))
				.forEach((next) -> {
					while (!inside.isEmpty() && inside.peek().claim().end() <= next.claim().start()) {
						inside.poll();
					}
					for (Attempt other : inside) {
						if (other.reads() && next.reads()) {
							continue;
						}
						long asked = Math.min(history.asked(other), history.asked(next));
						if (!history.lostData(asked, next.granted())) {
							violations.add(Violation.of("S1",
									next + " was guaranteed '" + next.key() + "' while " + other + " still was", other,
									next));
						}
					}
					inside.add(next);
				});
		});
		return violations;
	}

}
