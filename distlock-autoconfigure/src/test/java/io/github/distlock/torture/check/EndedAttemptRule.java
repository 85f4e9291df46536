package io.github.distlock.torture.check;

import java.util.List;

import io.github.distlock.torture.history.Attempt;
import io.github.distlock.torture.history.History;

/**
 * S5, as the caller sees it: a call that has ended without the lock does not hold it
 * later.
 */
final class EndedAttemptRule implements Rule {

	@Override
	public List<Violation> check(History history) {
		return history.attempts()
			.stream()
			.filter((attempt) -> attempt.isGranted() && attempt.ended() != Attempt.NEVER)
			.map((attempt) -> Violation.of("S5", attempt + " ended without the lock and yet holds it", attempt))
			.toList();
	}

}
