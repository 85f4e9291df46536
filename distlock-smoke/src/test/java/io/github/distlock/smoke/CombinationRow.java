package io.github.distlock.smoke;

import java.time.LocalDate;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A combination that was run, and what came of it.
 *
 * @param combination what was run
 * @param passed how many tests passed
 * @param skipped names of skipped tests
 * @param failed names of failed tests
 * @param date when it was run
 */
record CombinationRow(Combination combination, int passed, List<String> skipped, List<String> failed, LocalDate date) {

	private int tests() {
		return this.passed + this.skipped.size() + this.failed.size();
	}

	private String result() {
		return Stream
			.of(this.failed.isEmpty() ? "passed" : "**failed**: " + code(this.failed),
					this.skipped.isEmpty() ? "" : "skipped: " + code(this.skipped))
			.filter((part) -> !part.isEmpty())
			.collect(Collectors.joining("; "));
	}

	private static String code(List<String> names) {
		return names.stream().distinct().map((name) -> "`" + name + "`").collect(Collectors.joining(", "));
	}

	@Override
	public String toString() {
		return Stream
			.concat(this.combination.cells().stream(),
					Stream.of(this.passed + " of " + tests(), result(), this.date.toString()))
			.collect(Collectors.joining(" | ", "| ", " |"));
	}

}
