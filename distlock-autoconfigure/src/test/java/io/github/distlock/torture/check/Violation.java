package io.github.distlock.torture.check;

import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/** A violated guarantee: the rule, what happened, and the events that show it. */
public record Violation(String rule, String message, List<Event> evidence) {

	private static final int MOST_EVENTS = 40;

	static Violation of(String rule, String message, Attempt... attempts) {
		return new Violation(rule, message,
				Stream.of(attempts).flatMap((attempt) -> attempt.events().stream()).toList());
	}

	/** Describe it for a reader, in times since the origin. */
	public String describe(long origin) {
		StringBuilder text = new StringBuilder(this.rule).append(": ").append(this.message);
		this.evidence.stream()
			.filter((event) -> event.kind() != Kind.CHECK || event.number("rem") > 0)
			.sorted(Comparator.comparingLong(Event::nanos))
			.limit(MOST_EVENTS)
			.forEach((event) -> text.append(String.format("%n    %10.3f ms  %-8s %s %s", (event.nanos() - origin) / 1e6,
					event.source(), event.kind(), event.values())));
		return text.toString();
	}

}
