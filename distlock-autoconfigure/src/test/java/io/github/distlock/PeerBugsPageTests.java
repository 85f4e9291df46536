package io.github.distlock;

import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.IntStream;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What docs/maintainers/peer-bugs.md promises: each test that it names exists.
 */
class PeerBugsPageTests {

	private static final int BUGS = 30;

	private static final Pattern ROW = Pattern.compile("\\| (\\d+) \\|.*");

	private final List<String> rows = NamedTests.rows("peer-bugs.md", ROW);

	@Test
	void everyBugHasARow() {
		assertThat(this.rows).map((row) -> row.replaceFirst("^\\| (\\d+) .*", "$1"))
			.containsExactlyElementsOf(IntStream.rangeClosed(1, BUGS).mapToObj(Integer::toString).toList());
	}

	@Test
	void everyRowNamesATest() {
		assertThat(this.rows).allMatch(NamedTests::isIn);
	}

	@Test
	void everyTestThatIsNamedExists() {
		assertThat(this.rows).allSatisfy(NamedTests::assertThatEachExists);
	}

}
