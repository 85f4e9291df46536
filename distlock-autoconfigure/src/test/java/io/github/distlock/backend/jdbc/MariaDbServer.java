package io.github.distlock.backend.jdbc;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import io.github.distlock.installed.Installed;
import io.github.distlock.testing.RedisTestServer;
import io.github.distlock.testing.Unchecked;

import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DriverManagerDataSource;

import static org.awaitility.Awaitility.await;

/**
 * A MariaDB server with its own data folder and a free port. It ends with this JVM.
 *
 * @param port the port of the server
 */
record MariaDbServer(int port) {

	static MariaDbServer start() {
		String program = Installed.MARIADBD.assume().toString();
		String installer = Installed.MARIADB_INSTALL_DB.assume().toString();
		return Unchecked.call(() -> {
			Path folder = Files.createTempDirectory("mariadb");
			Path data = folder.resolve("data");
			int port = RedisTestServer.freePort();
			// At its start, a server removes the temporary tables of other servers from a
			// shared folder.
			String temporary = "--tmpdir=" + folder;
			int status = run(folder, installer, "--no-defaults", "--auth-root-authentication-method=normal",
					"--skip-test-db", "--datadir=" + data, temporary)
				.waitFor();
			if (status != 0) {
				throw new IllegalStateException("mariadb-install-db ended with " + status + ": " + folder);
			}
			Process server = run(folder, program, "--no-defaults", "--datadir=" + data, temporary, "--port=" + port,
					"--bind-address=127.0.0.1", "--skip-networking=0", "--socket=" + folder.resolve("s"),
					"--pid-file=" + folder.resolve("pid"), "--innodb-buffer-pool-size=16M", "--max-connections=400",
					"--innodb-flush-log-at-trx-commit=2", "--skip-log-bin");
			Runtime.getRuntime().addShutdownHook(new Thread(server::destroyForcibly));
			MariaDbServer started = new MariaDbServer(port);
			JdbcTemplate root = new JdbcTemplate(
					new DriverManagerDataSource("jdbc:mariadb://127.0.0.1:" + port + "/mysql", "root", ""));
			await().atMost(Duration.ofMinutes(3)).ignoreExceptions().untilAsserted(() -> {
				root.execute("CREATE DATABASE IF NOT EXISTS locks");
				root.execute("CREATE OR REPLACE USER root@'127.0.0.1'");
				root.execute("GRANT ALL ON *.* TO root@'127.0.0.1'");
			});
			return started;
		});
	}

	String url() {
		return "jdbc:mariadb://127.0.0.1:" + this.port + "/locks";
	}

	private static Process run(Path folder, String... command) throws IOException {
		List<String> line = new ArrayList<>(List.of(command));
		if (System.getProperty("user.name").equals("root")) {
			// By default the server refuses to run as root.
			line.add("--user=root");
		}
		ProcessBuilder.Redirect log = ProcessBuilder.Redirect.appendTo(folder.resolve("log").toFile());
		return new ProcessBuilder(line).redirectErrorStream(true).redirectOutput(log).start();
	}

}
