package io.github.distlock.testing;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;

import org.springframework.util.function.ThrowingSupplier;

/**
 * The commands of the documentation that create the users of the stores. The servers of
 * tests in which an operator acts have these users: what only a failover, a restart or a
 * slot that moves needs is missing in no other test.
 */
public final class DocumentedRights {

	private DocumentedRights() {
	}

	/** The command that creates the user of a Redis, word by word. */
	public static List<String> standalone() {
		return lines("redis-operations.md", "ACL SETUSER distlock ").get(0);
	}

	/** The additional rights for a cluster. */
	public static List<String> cluster() {
		return lines("redis-operations.md", "ACL SETUSER distlock ").get(1);
	}

	/** The command that creates the user of a sentinel. */
	public static List<String> sentinel() {
		return lines("redis-operations.md", "ACL SETUSER sentinel ").get(0);
	}

	/** The command that creates the user of a node of Redlock. */
	public static List<String> redlock() {
		return lines("stores-redlock.md", "ACL SETUSER locks ").get(0);
	}

	/** The rights on the table of the locks. */
	public static List<String> table() {
		List<String> line = lines("stores-jdbc.md", "GRANT ").stream()
			.filter((words) -> words.contains("distlock_lock"))
			.findFirst()
			.orElseThrow();
		return line.subList(1, line.indexOf("ON")).stream().map((right) -> right.replace(",", "")).toList();
	}

	private static List<List<String>> lines(String page, String start) {
		return ThrowingSupplier.of(() -> Files.readAllLines(Path.of("..", "docs", page)))
			.get()
			.stream()
			.map(String::strip)
			.filter((line) -> line.startsWith(start))
			.map((line) -> Arrays.asList(line.split(" ")))
			.toList();
	}

}
