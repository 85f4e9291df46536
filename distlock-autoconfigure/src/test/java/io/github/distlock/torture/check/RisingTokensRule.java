package io.github.distlock.torture.check;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import io.github.distlock.torture.history.Attempt;
import io.github.distlock.torture.history.History;
import org.jspecify.annotations.Nullable;

/**
 * S2: fencing tokens strictly increase in order of entry; those of readers who may be
 * inside together are only higher than those of the writers before them. After the store
 * lost data an older holder may still enter late, but no token is ever given twice.
 */
final class RisingTokensRule implements Rule {

	@Override
	public List<Violation> check(History history) {
		List<Violation> violations = new ArrayList<>();
		for (List<Attempt> attempts : history.attemptsByKey().values()) {
			Map<Long, Attempt> given = new HashMap<>();
			Attempt highest = null;
			Attempt highestWriter = null;
			for (Attempt next : entries(attempts)) {
				Attempt twin = given.put(next.token(), next);
				Attempt before = (twin != null) ? twin : next.reads() ? highestWriter : highest;
				if (before != null && (twin != null
						|| next.token() < before.token() && !history.lostData(history.asked(next), before.granted()))) {
					violations.add(Violation.of("S2",
							next + " entered '" + next.key() + "' after " + before + " with a token that is not higher",
							before, next));
				}
				highest = higher(highest, next);
				highestWriter = next.reads() ? highestWriter : higher(highestWriter, next);
			}
		}
		return violations;
	}

	private static Attempt higher(@Nullable Attempt one, Attempt other) {
		return (one == null || other.token() > one.token()) ? other : one;
	}

	/** Who was past its deadline when it came back from the call has not entered. */
	private static List<Attempt> entries(List<Attempt> attempts) {
		return attempts.stream()
			.filter((attempt) -> !attempt.claim().isEmpty())
			.sorted(Comparator.comparingLong((attempt) -> attempt.claim().start()))
			.toList();
	}

}
