package io.github.distlock.torture.check;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

import io.github.distlock.torture.history.Attempt;
import io.github.distlock.torture.history.Event;
import io.github.distlock.torture.history.History;
import io.github.distlock.torture.history.Kind;

/**
 * S3: only the owner changes a lock. If the store no longer knows a holder, although its
 * lease has not expired and no data was lost, another client has removed it.
 */
final class ForeignChangeRule implements Rule {

	@Override
	public List<Violation> check(History history) {
		Map<String, Attempt> holders = history.attempts()
			.stream()
			.filter(Attempt::isGranted)
			.collect(Collectors.toMap((attempt) -> attempt.key() + "|" + attempt.token(), (attempt) -> attempt,
					(first, second) -> first));
		List<Violation> violations = new ArrayList<>();
		for (Event lost : history.events(Kind.LOST)) {
			Attempt holder = holders.get(lost.text("key") + "|" + lost.text("token"));
			if (holder != null && lost.text("reason").startsWith("the_store_no_longer")
					&& lost.nanos() < holder.deadline() && !history.lostData(history.asked(holder), lost.nanos())) {
				violations.add(Violation.of("S3",
						holder + " lost '" + holder.key() + "' before its lease had passed: " + lost.text("reason"),
						holder));
			}
		}
		return violations;
	}

}
