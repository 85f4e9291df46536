package io.github.distlock.torture.check;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

import io.github.distlock.torture.history.Attempt;
import io.github.distlock.torture.history.Event;
import io.github.distlock.torture.history.History;
import io.github.distlock.torture.history.Kind;

/**
 * S7: when all workers have stopped, nothing remains in the store and in the JVMs.
 */
final class LeftOverRule implements Rule {

	@Override
	public List<Violation> check(History history) {
		List<Violation> violations = new ArrayList<>();
		List<Event> leftOver = history.events(Kind.LEFT_OVER);
		if (leftOver.isEmpty()) {
			// The run has not ended.
			return violations;
		}
		leftOver.stream()
			.filter((event) -> !event.text("names").equals("none"))
			.forEach((event) -> violations
				.add(new Violation("S7", "Keys stay in the store: " + event.text("names"), List.of(event))));
		List<Event> stopped = history.events(Kind.IDLE);
		stopped.stream()
			.filter((event) -> !event.text("idle").equals("true") || event.number("threads") > 0)
			.forEach((event) -> violations.add(new Violation("S7",
					event.source() + " was not idle after all workers had stopped: threads " + event.text("threads")
							+ ", watched leases " + event.text("leases") + ", keys " + event.text("keys"),
					List.of(event))));
		Set<String> ended = stopped.stream().map(Event::source).collect(Collectors.toSet());
		history.attempts()
			.stream()
			.map(Attempt::worker)
			.distinct()
			.filter((worker) -> !ended.contains(worker) && history.death(worker) == Attempt.NEVER)
			.forEach((worker) -> violations.add(new Violation("S7", worker + " did not stop", List.of())));
		return violations;
	}

}
