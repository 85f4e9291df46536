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
 * S2: fencing tokens strictly increase in order of entry. Tokens of readers that may hold
 * the lock together only have to be higher than those of earlier writers. After the store
 * lost data an older holder may enter late, but no token is granted twice.
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

	/** A holder whose deadline had passed when its call returned has not entered. */
	private static List<Attempt> entries(List<Attempt> attempts) {
		return attempts.stream()
			.filter((attempt) -> !attempt.claim().isEmpty())
			.sorted(Comparator.comparingLong((attempt) -> attempt.claim().start()))
			.toList();
	}

}
