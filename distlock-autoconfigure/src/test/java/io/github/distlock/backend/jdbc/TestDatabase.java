package io.github.distlock.backend.jdbc;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.Supplier;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.github.distlock.installed.Installed;
import io.github.distlock.testing.RedisTestServer;
import io.github.distlock.testing.TcpProxy;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;

import org.springframework.core.io.ClassPathResource;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.jdbc.datasource.init.ResourceDatabasePopulator;
import org.springframework.util.function.ThrowingSupplier;

import static org.awaitility.Awaitility.await;

/**
 * A database with the table of locks, created once for all tests of this JVM.
 *
 * @param platform the name of the database in the SQL files
 * @param url the JDBC URL
 * @param user the name of the user
 */
record TestDatabase(String platform, String url, String user) {

	/** By platform. */
	private static final Map<String, TestDatabase> started = new ConcurrentHashMap<>();

	static TestDatabase h2() {
		return once("h2", () -> new TestDatabase("h2",
				"jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1;LOCK_TIMEOUT=20000", "sa"));
	}

	/** PostgreSQL, embedded in the tests. Ends with this JVM. */
	static TestDatabase postgres() {
		return once("postgresql", ThrowingSupplier.of(() -> {
			Path log = Files.createTempFile("postgres", ".log");
			EmbeddedPostgres server = EmbeddedPostgres.builder()
				.setPGStartupWait(Duration.ofMinutes(2))
				.setServerConfig("max_connections", "1000")
				.setServerConfig("fsync", "off")
				.setServerConfig("shared_preload_libraries", "pg_stat_statements")
				.setErrorRedirector(ProcessBuilder.Redirect.appendTo(log.toFile()))
				.setOutputRedirector(ProcessBuilder.Redirect.appendTo(log.toFile()))
				.start();
			return new TestDatabase("postgresql", server.getJdbcUrl("postgres", "postgres"), "postgres");
		}));
	}

	/** A new database in that server, which no other test uses. */
	static TestDatabase postgres(String name) {
		postgres().direct().execute("CREATE DATABASE " + name);
		return new TestDatabase("postgresql", postgres().url.replace("/postgres?", "/" + name + "?"), "postgres")
			.withTable();
	}

	/** Another PostgreSQL, which the test has started and will end. */
	static TestDatabase of(EmbeddedPostgres server) {
		return new TestDatabase("postgresql", server.getJdbcUrl("postgres", "postgres"), "postgres").withTable();
	}

	/** MariaDB, if it is installed. Skips the test otherwise. */
	static TestDatabase mariaDb() {
		return once("mariadb", ThrowingSupplier.of(() -> new TestDatabase("mariadb", startMariaDb(), "root")));
	}

	/** The same database for a new user that has these rights on the table. */
	TestDatabase granting(List<String> rights) {
		String name = "least" + UUID.randomUUID().toString().substring(0, 8);
		String grantee = this.platform.equals("mariadb") ? name + "@'127.0.0.1'" : name;
		JdbcTemplate owner = direct();
		owner.execute(switch (this.platform) {
			case "h2" -> "CREATE USER " + name + " PASSWORD ''";
			case "postgresql" -> "CREATE ROLE " + name + " LOGIN";
			default -> "CREATE USER " + grantee;
		});
		owner.execute("GRANT " + String.join(", ", rights) + " ON distlock_lock TO " + grantee);
		return as(name);
	}

	/** The same database without the parameters of the owner, for another user. */
	TestDatabase as(String other) {
		return new TestDatabase(this.platform, this.url.replaceFirst("[?;].*", ""), other);
	}

	/** End the sessions of a user, as a restart or a failover does. */
	void endSessions(String user) {
		direct().execute(this.platform.equals("mariadb") ? "KILL USER " + user
				: "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = '" + user + "'");
	}

	private static TestDatabase once(String platform, Supplier<TestDatabase> start) {
		// Tests that run side by side share it, too.
		return started.computeIfAbsent(platform, (absent) -> start.get().withTable());
	}

	private TestDatabase withTable() {
		new ResourceDatabasePopulator(
				new ClassPathResource("io/github/distlock/backend/jdbc/schema-" + this.platform + ".sql"))
			.execute(new DriverManagerDataSource(this.url, this.user, ""));
		return this;
	}

	/** Create a pool like that of an application. */
	HikariDataSource pool(int size) {
		return new HikariDataSource(poolSettings(size));
	}

	HikariDataSource pool(int size, Consumer<HikariConfig> change) {
		HikariConfig settings = poolSettings(size);
		change.accept(settings);
		return new HikariDataSource(settings);
	}

	/** A pool that reaches the server through a proxy. */
	HikariDataSource pool(int size, TcpProxy proxy) {
		return pool(size, (settings) -> {
			settings.setJdbcUrl(this.url.replaceFirst(":\\d+/", ":" + proxy.port() + "/"));
			settings.setConnectionTimeout(30_000);
		});
	}

	HikariConfig poolSettings(int size) {
		HikariConfig config = new HikariConfig();
		config.setJdbcUrl(this.url);
		config.setUsername(this.user);
		config.setPassword("");
		config.setMaximumPoolSize(size);
		config.setMinimumIdle(0);
		// The shortest possible value, since the contract creates many pools.
		config.setIdleTimeout(10_000);
		config.setConnectionTimeout(10_000);
		return config;
	}

	/** A template for the tests, which opens a connection for each statement. */
	JdbcTemplate direct() {
		return new JdbcTemplate(new DriverManagerDataSource(this.url, this.user, ""));
	}

	/** Start a server with its own data folder and a free port. It ends with this JVM. */
	private static String startMariaDb() throws Exception {
		String program = Installed.MARIADBD.assume().toString();
		String installer = Installed.MARIADB_INSTALL_DB.assume().toString();
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
		JdbcTemplate root = new JdbcTemplate(
				new DriverManagerDataSource("jdbc:mariadb://127.0.0.1:" + port + "/mysql", "root", ""));
		await().atMost(Duration.ofMinutes(3)).ignoreExceptions().untilAsserted(() -> {
			root.execute("CREATE DATABASE IF NOT EXISTS locks");
			root.execute("CREATE OR REPLACE USER root@'127.0.0.1'");
			root.execute("GRANT ALL ON *.* TO root@'127.0.0.1'");
		});
		return "jdbc:mariadb://127.0.0.1:" + port + "/locks";
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
