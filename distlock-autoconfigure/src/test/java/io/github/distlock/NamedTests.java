package io.github.distlock;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.springframework.util.ClassUtils;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The tests that the table of a page for maintainers names as
 * {@code `package.Class#method`}, with class names below the base package.
 */
final class NamedTests {

	private static final Pattern TEST = Pattern.compile("`([a-z.]+[A-Z]\\w+)#(\\w+)`");

	/** These are not on the class path. */
	private static final Path OF_THE_TEST_MODULE = Path.of("..", "distlock-spring-boot-starter-test", "src", "test",
			"java");

	private NamedTests() {
	}

	/**
	 * Read rows of a table.
	 * @param page the file in {@code docs/maintainers}
	 * @param row the form of the rows
	 * @return the lines of this form
	 */
	static List<String> rows(String page, Pattern row) {
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

	static boolean isIn(String row) {
		return TEST.matcher(row).find();
	}

	static void assertThatEachExists(String row) {
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
