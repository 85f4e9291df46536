package io.github.distlock;

import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What docs/maintainers/findings.md promises: each finding has a row, and each row names
 * an existing test or says why there is none.
 */
class FindingsPageTests {

	private static final Pattern ROW = Pattern.compile("\\| ([A-Z]+-[\\w.]+) \\|.*");

	private static final List<String> FINDINGS = Stream
		.of(numbered("REDIS-", 8), numbered("REDIS-9.", 5), numbered("SPRING-H", 3), numbered("SPRING-M", 9),
				numbered("SPRING-L", 9), numbered("STORES-", 6), numbered("STORES-7.", 11), numbered("LOCK-F", 7),
				Stream.of("USER-A1", "USER-A2", "USER-A5", "USER-A6", "USER-A8.4", "USER-A8.5", "USER-A8.6", "USER-A10",
						"USER-A11", "HOUSE-2c.1", "HOUSE-2c.2"),
				numbered("BARE-", 4),
				Stream.of("H1", "M1", "M2", "L1", "L2", "L3", "L4", "L5", "N1", "N2", "N3").map("ENGINE-"::concat),
				numbered("STORE-S", 9), numbered("BOOT-M", 4), numbered("BOOT-L", 11), Stream.of("NEW-N1"))
		.flatMap((ids) -> ids)
		.toList();

	private final List<String> rows = NamedTests.rows("findings.md", ROW);

	@Test
	void everyFindingHasOneRow() {
		assertThat(this.rows).map((row) -> row.replaceFirst("^\\| ([\\w.-]+) .*", "$1"))
			.containsExactlyElementsOf(FINDINGS);
	}

	@Test
	void everyRowNamesATestOrSaysWhyThereIsNone() {
		assertThat(this.rows).allMatch((row) -> NamedTests.isIn(row) || row.contains("| No test: "));
	}

	@Test
	void everyTestThatIsNamedExists() {
		assertThat(this.rows).allSatisfy(NamedTests::assertThatEachExists);
	}

	private static Stream<String> numbered(String prefix, int count) {
		return IntStream.rangeClosed(1, count).mapToObj((number) -> prefix + number);
	}

}
