package io.github.distlock.torture.check;

import java.util.Comparator;
import java.util.List;

import io.github.distlock.torture.history.Attempt;
import io.github.distlock.torture.history.History;

/**
 * R1: readers hold the lock together. It is violated if many readers held it and never
 * two at the same time.
 */
final class ReadersTogetherRule implements Rule {

	/** With fewer readers this may be coincidence. */
	private static final int MANY = 100;

	@Override
	public List<Violation> check(History history) {
		List<Attempt> readers = history.attempts()
			.stream()
			.filter((attempt) -> attempt.reads() && !attempt.claim().isEmpty())
			.toList();
		if (readers.size() < MANY) {
			return List.of();
		}
		boolean together = history.attemptsByKey().values().stream().anyMatch(ReadersTogetherRule::overlap);
		return together ? List.of() : List.of(Violation.of("R1",
				"Of " + readers.size() + " readers no two were inside at the same time", readers.get(0)));
	}

	private static boolean overlap(List<Attempt> attempts) {
		long end = Long.MIN_VALUE;
		for (Attempt reader : attempts.stream()
			.filter((attempt) -> attempt.reads() && !attempt.claim().isEmpty())
			.sorted(Comparator.comparingLong((attempt) -> attempt.claim().start()))
			.toList()) {
			if (reader.claim().start() < end) {
				return true;
			}
			end = reader.claim().end();
		}
		return false;
	}

}
