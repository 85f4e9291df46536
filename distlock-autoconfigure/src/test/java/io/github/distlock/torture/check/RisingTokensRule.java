package io.github.distlock.torture.check;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

import io.github.distlock.torture.history.Attempt;
import io.github.distlock.torture.history.History;

/**
 * S2: fencing tokens strictly increase in order of entry. After the store lost data an
 * older holder may still enter late, but no token is ever given twice.
 */
final class RisingTokensRule implements Rule {

	@Override
	public List<Violation> check(History history) {
		List<Violation> violations = new ArrayList<>();
		for (List<Attempt> attempts : history.attemptsByKey().values()) {
			Attempt highest = null;
			for (Attempt next : entries(attempts)) {
				if (highest == null || next.token() > highest.token()) {
					highest = next;
				}
				else if (next.token() == highest.token() || !history.lostData(history.asked(next), highest.granted())) {
					violations.add(Violation.of("S2", next + " entered '" + next.key() + "' after " + highest
							+ " with a token that is not higher", highest, next));
				}
			}
		}
		return violations;
	}

	/** Who was past its deadline when it came back from the call has not entered. */
	private static List<Attempt> entries(List<Attempt> attempts) {
		return attempts.stream()
			.filter((attempt) -> !attempt.claim().isEmpty())
			.sorted(Comparator.comparingLong((attempt) -> attempt.claim().start()))
			.toList();
	}

}
