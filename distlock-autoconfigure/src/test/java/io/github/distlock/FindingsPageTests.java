package io.github.distlock;

import java.util.List;
import java.util.regex.Pattern;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What docs/maintainers/findings.md and docs/maintainers/peer-bugs.md promise: each
 * finding has one row, which names an existing test or says why there is none.
 */
class FindingsPageTests {

	@ParameterizedTest
	@CsvSource({ "findings.md, '\\| ([A-Z]+-[\\w.]+) \\|.*', 100", "peer-bugs.md, '\\| (\\d+) \\|.*', 30" })
	void everyRowNamesATestThatExistsOrSaysWhyThereIsNone(String page, String row, int least) {
		List<String> rows = NamedTests.rows(page, Pattern.compile(row));
		assertThat(rows).hasSizeGreaterThanOrEqualTo(least)
			.allMatch((each) -> NamedTests.isIn(each) || each.contains("| No test: "))
			.allSatisfy(NamedTests::assertThatEachExists)
			.map((each) -> each.split(" \\|")[0])
			.doesNotHaveDuplicates();
	}

}
