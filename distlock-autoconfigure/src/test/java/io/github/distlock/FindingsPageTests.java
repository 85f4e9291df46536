package io.github.distlock;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import org.springframework.util.ClassUtils;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What docs/maintainers/findings.md and docs/maintainers/peer-bugs.md promise: each
 * finding has one row, which names an existing test or says why there is none. Tests are
 * named as {@code `package.Class#method`}, with class names below the base package.
 */
class FindingsPageTests {

	private static final Pattern TEST = Pattern.compile("`([a-z.]+[A-Z]\\w+)#(\\w+)`");

	/** These are not on the class path. */
	private static final Path OF_THE_TEST_MODULE = Path.of("..", "distlock-spring-boot-starter-test", "src", "test",
			"java");

	@ParameterizedTest
	@CsvSource({ "findings.md, '\\| ([A-Z]+-[\\w.]+) \\|.*', 100", "peer-bugs.md, '\\| (\\d+) \\|.*', 30" })
	void everyRowNamesATestThatExistsOrSaysWhyThereIsNone(String page, String row, int least) {
		List<String> rows = rows(page, Pattern.compile(row));
		assertThat(rows).hasSizeGreaterThanOrEqualTo(least)
			.allMatch((each) -> isIn(each) || each.contains("| No test: "))
			.allSatisfy(FindingsPageTests::assertThatEachExists)
			.map((each) -> each.split(" \\|")[0])
			.doesNotHaveDuplicates();
	}

	/**
	 * Read rows of a table.
	 * @param page the file in {@code docs/maintainers}
	 * @param row the form of the rows
	 * @return the lines of this form
	 */
	private static List<String> rows(String page, Pattern row) {
		try {
			return Files.readAllLines(Path.of("..", "docs", "maintainers", page))
				.stream()
				.filter((line) -> row.matcher(line).matches())
				.toList();
		}
		catch (IOException ex) {
			throw new IllegalStateException(ex);
		}
	}

	private static boolean isIn(String row) {
		return TEST.matcher(row).find();
	}

	private static void assertThatEachExists(String row) {
		for (Matcher test = TEST.matcher(row); test.find();) {
			String name = "io.github.distlock." + test.group(1);
			if (ClassUtils.isPresent(name, null)) {
				Class<?> type = ClassUtils.resolveClassName(name, null);
				assertThat(Arrays.stream(type.getDeclaredMethods()).map((declared) -> declared.getName()))
					.as(test.group(1))
					.contains(test.group(2));
			}
			else {
				assertThat(OF_THE_TEST_MODULE.resolve(name.replace('.', '/') + ".java")).content()
					.contains("void " + test.group(2) + "(");
			}
		}
	}

}
