package io.github.distlock.shapes;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;

/**
 * The commands that the documentation tells an operator to type.
 */
final class DocumentedRights {

	private DocumentedRights() {
	}

	/** What makes the user, word by word. */
	static List<String> standalone() throws IOException {
		return lines().get(0);
	}

	/** What the user of a cluster may do besides. */
	static List<String> cluster() throws IOException {
		return lines().get(1);
	}

	private static List<List<String>> lines() throws IOException {
		return Files.readAllLines(Path.of("..", "docs", "redis-operations.md"))
			.stream()
			.map(String::strip)
			.filter((line) -> line.startsWith("ACL SETUSER distlock "))
			.map((line) -> Arrays.asList(line.split(" ")))
			.toList();
	}

}
