package io.github.distlock;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;

import org.junit.jupiter.api.Test;

import org.springframework.util.ClassUtils;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What docs/peer-bugs.md promises: each test that it names exists.
 */
class PeerBugsPageTests {

	private static final int BUGS = 30;

	private static final Pattern ROW = Pattern.compile("\\| (\\d+) \\|.*");

	/** A class below the base package and one of its methods. */
	private static final Pattern TEST = Pattern.compile("`([a-z.]+[A-Z]\\w+)#(\\w+)`");

	private final List<String> rows = rows();

	@Test
	void everyBugHasARow() {
		assertThat(this.rows).map((row) -> row.replaceFirst("^\\| (\\d+) .*", "$1"))
			.containsExactlyElementsOf(IntStream.rangeClosed(1, BUGS).mapToObj(Integer::toString).toList());
	}

	@Test
	void everyRowNamesATest() {
		assertThat(this.rows).allMatch((row) -> TEST.matcher(row).find());
	}

	@Test
	void everyTestThatIsNamedExists() {
		assertThat(this.rows).allSatisfy((row) -> {
			for (Matcher test = TEST.matcher(row); test.find();) {
				Class<?> type = ClassUtils.resolveClassName("io.github.distlock." + test.group(1), null);
				String method = test.group(2);
				assertThat(Arrays.stream(type.getDeclaredMethods()).map((declared) -> declared.getName()))
					.as(test.group(1))
					.contains(method);
			}
		});
	}

	private static List<String> rows() {
		try {
			return Files.readAllLines(Path.of("..", "docs", "peer-bugs.md"))
				.stream()
				.filter((line) -> ROW.matcher(line).matches())
				.toList();
		}
		catch (IOException ex) {
			throw new IllegalStateException(ex);
		}
	}

}
