package io.github.distlock.api;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;

import static org.assertj.core.api.Assertions.fail;

/**
 * A committed file with one sorted line for each promise to users. A line that is missing
 * in the code is a break, and a new line has to be committed.
 */
final class CommittedText {

	/** With this property the tests write the files instead of comparing them. */
	private static final String WRITE = "distlock.docs.write";

	private CommittedText() {
	}

	/**
	 * Compare a file with the code, or write it.
	 * @param file the file, relative to the root of the repository
	 * @param lines the lines according to the code
	 * @param test the test that calls
	 */
	static void check(String file, Collection<String> lines, Class<?> test) throws IOException {
		Path path = Path.of("..").resolve(file);
		if (Boolean.getBoolean(WRITE)) {
			Files.createDirectories(path.getParent());
			Files.writeString(path, String.join("\n", new TreeSet<>(lines)) + "\n");
		}
		compare(path, lines, test);
	}

	/** Compare a file with its lines according to the code. */
	static void compare(Path file, Collection<String> lines, Class<?> test) throws IOException {
		List<String> committed = Files.readAllLines(file);
		SortedSet<String> missing = new TreeSet<>(committed);
		missing.removeAll(lines);
		SortedSet<String> added = new TreeSet<>(lines);
		added.removeAll(committed);
		if (missing.isEmpty() && added.isEmpty()) {
			return;
		}
		fail("""
				%s differs from the code.
				Removed or changed (docs/versioning.md says when that is allowed):
				%sNew:
				%sIf this is intended, write the file again: \
				mvn -pl distlock-autoconfigure test -Dtest=%s -D%s=true""".formatted(file.getFileName(), list(missing),
				list(added), test.getSimpleName(), WRITE));
	}

	private static String list(Collection<String> lines) {
		StringBuilder text = new StringBuilder();
		lines.forEach((line) -> text.append("  ").append(line).append('\n'));
		return text.isEmpty() ? "  nothing\n" : text.toString();
	}

}
