package io.github.distlock.backend.jdbc;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.concurrent.locks.LockSupport;

import com.zaxxer.hikari.HikariDataSource;
import io.github.distlock.backend.Grant;

/**
 * A separate JVM that holds one row until it is killed.
 */
final class RowChild {

	private RowChild() {
	}

	public static void main(String[] args) {
		HikariDataSource pool = new TestDatabase(args[0], args[1], args[2]).pool(4);
		JdbcNode node = JdbcNode.row(pool, 4);
		Grant grant = node.take(node.ticket(args[3]));
		PrintStream out = System.out;
		out.println("held " + grant.firstToken());
		while (true) {
			LockSupport.park();
		}
	}

	/** Start a child and wait until it holds the lock. */
	static Holder start(TestDatabase database, String key) throws IOException {
		Process process = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "java").toString(),
				"-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xmx128m", "-cp", System.getProperty("java.class.path"),
				RowChild.class.getName(), database.platform(), database.url(), database.user(), key)
			.redirectError(ProcessBuilder.Redirect.INHERIT)
			.start();
		BufferedReader output = process.inputReader(StandardCharsets.UTF_8);
		for (String line; (line = output.readLine()) != null;) {
			if (line.startsWith("held ")) {
				return new Holder(process, Long.parseLong(line.substring(5)));
			}
		}
		throw new IOException("The child ended before it held '" + key + "'");
	}

	/**
	 * A child that holds the lock.
	 *
	 * @param process the process of the child
	 * @param token the fencing token of its lock
	 */
	record Holder(Process process, long token) {

		void kill() {
			this.process.destroyForcibly();
		}

	}

}
