package io.github.distlock.shapes;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;

/**
 * The commands of the documentation that create the user.
 */
final class DocumentedRights {

	private DocumentedRights() {
	}

	/** The command that creates the user, word by word. */
	static List<String> standalone() throws IOException {
		return lines().get(0);
	}

	/** The additional rights for a cluster. */
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
