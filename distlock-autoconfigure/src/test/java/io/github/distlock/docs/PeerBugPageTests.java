package io.github.distlock.docs;

import java.util.Arrays;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.junit.jupiter.api.Test;

import org.springframework.util.ClassUtils;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What docs/maintainers/peer-bugs.md promises: each fault has one row, which names
 * existing tests. They are written as {@code `package.Class#method`}, with class names
 * below the base package.
 */
class PeerBugPageTests {

	private static final Pattern ROW = Pattern.compile("\\| (\\d+) \\|.*");

	private static final Pattern TEST = Pattern.compile("`([a-z.]+[A-Z]\\w+)#(\\w+)`");

	@Test
	void everyRowNamesTestsThatExist() {
		List<String> rows = Pages.text("docs/maintainers/peer-bugs.md")
			.lines()
			.filter((line) -> ROW.matcher(line).matches())
			.toList();
		assertThat(rows).hasSizeGreaterThanOrEqualTo(30)
			.allMatch((row) -> TEST.matcher(row).find())
			.allSatisfy(PeerBugPageTests::assertThatEachExists)
			.map((row) -> row.split(" \\|")[0])
			.doesNotHaveDuplicates();
	}

	private static void assertThatEachExists(String row) {
		for (Matcher test = TEST.matcher(row); test.find();) {
			Class<?> type = ClassUtils.resolveClassName("io.github.distlock." + test.group(1), null);
			assertThat(Arrays.stream(type.getDeclaredMethods()).map((declared) -> declared.getName())).as(test.group(1))
				.contains(test.group(2));
		}
	}

}
