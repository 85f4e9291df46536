package io.github.distlock.testing;

import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

import org.springframework.boot.convert.DurationStyle;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A case of a table: its name, then lines of steps; after an arrow stands what followed
 * from the steps before it.
 *
 * @param lines the lines, the first of which is the name
 */
public record StepCase(List<String> lines) {

	/** The cases of tables, in which only names begin at the margin. */
	public static Stream<StepCase> of(String... tables) {
		return Arrays.stream(tables)
			.flatMap((table) -> Arrays.stream(table.split("\n(?! )")))
			.map((text) -> new StepCase(text.lines().toList()));
	}

	/** Make the steps of each line, and compare what followed. */
	public void check(UnaryOperator<String> steps) {
		for (String line : this.lines.subList(1, this.lines.size())) {
			String[] parts = line.split("=>", -1);
			String last = steps.apply(parts[0]);
			if (parts.length > 1) {
				assertThat(last).as(line).isEqualTo(parts[1].strip());
			}
		}
	}

	/** Such as {@code 10s}. */
	public static Duration duration(String text) {
		return DurationStyle.detectAndParse(text);
	}

	@Override
	public String toString() {
		return this.lines.get(0);
	}

}
