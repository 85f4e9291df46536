package io.github.distlock.torture.check;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

import io.github.distlock.torture.history.Attempt;
import io.github.distlock.torture.history.Event;
import io.github.distlock.torture.history.History;
import io.github.distlock.torture.history.Kind;

/**
 * S1 and S2, as the resource sees them. Critical sections may overlap when one holder has
 * passed its deadline, but then the older token is refused once the newer one was seen.
 * No holder is refused while its lock is guaranteed, unless the store lost data. A
 * reader's token is outdated only by a writer's, a writer's token by any later one.
 */
final class FencedResourceRule implements Rule {

	@Override
	public List<Violation> check(History history) {
		Map<String, Attempt> attempts = history.attempts()
			.stream()
			.collect(Collectors.toMap(Attempt::id, (attempt) -> attempt));
		Map<String, Event> highest = new HashMap<>();
		Map<String, Event> highestWriter = new HashMap<>();
		List<Violation> violations = new ArrayList<>();
		for (Event access : history.events(Kind.ACCESS)) {
			boolean reads = access.text("op").equals("look");
			Event before = (reads ? highestWriter : highest).get(access.text("key"));
			Attempt attempt = attempts.get(access.text("attempt"));
			boolean stale = before != null && before.number("token") > access.number("token");
			if (access.text("ok").equals("true")) {
				if (stale) {
					violations.add(new Violation("S1", "The resource accepted an older token after a newer one",
							List.of(before, access)));
				}
				highest.merge(access.text("key"), access, FencedResourceRule::higher);
				if (!reads) {
					highestWriter.merge(access.text("key"), access, FencedResourceRule::higher);
				}
			}
			else if (before != null && attempt != null && attempt.claim().contains(access.nanos())
					&& !history.lostData(history.asked(attempt), access.nanos())) {
				violations.add(new Violation("S2", "The resource refused a holder whose lock was guaranteed",
						List.of(before, access)));
			}
		}
		return violations;
	}

	private static Event higher(Event one, Event other) {
		return (other.number("token") >= one.number("token")) ? other : one;
	}

}
