package io.github.distlock.backend.jdbc;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.Supplier;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.github.distlock.testing.TcpProxy;
import io.github.distlock.testing.Unchecked;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;

import org.springframework.core.io.ClassPathResource;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.jdbc.datasource.init.ResourceDatabasePopulator;

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
		return once("postgresql", () -> Unchecked.call(() -> {
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
		TestDatabase database = new TestDatabase("postgresql", postgres().url.replace("/postgres?", "/" + name + "?"),
				"postgres");
		database.makeTable();
		return database;
	}

	/** Another PostgreSQL, which the test has started and will end. */
	static TestDatabase of(EmbeddedPostgres server) {
		TestDatabase database = new TestDatabase("postgresql", server.getJdbcUrl("postgres", "postgres"), "postgres");
		database.makeTable();
		return database;
	}

	/** MariaDB, if it is installed. Skips the test otherwise. */
	static TestDatabase mariaDb() {
		return once("mariadb", () -> new TestDatabase("mariadb", MariaDbServer.start().url(), "root"));
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
		// The parameters belong to the owner: the user, and settings for administrators.
		return new TestDatabase(this.platform, this.url.replaceFirst("[?;].*", ""), name);
	}

	/** End the sessions of a user, as a restart or a failover does. */
	void endSessions(String user) {
		direct().execute(this.platform.equals("mariadb") ? "KILL USER " + user
				: "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = '" + user + "'");
	}

	private static TestDatabase once(String platform, Supplier<TestDatabase> start) {
		// Tests that run side by side share it, too.
		return started.computeIfAbsent(platform, (absent) -> {
			TestDatabase database = start.get();
			database.makeTable();
			return database;
		});
	}

	private void makeTable() {
		new ResourceDatabasePopulator(
				new ClassPathResource("io/github/distlock/backend/jdbc/schema-" + this.platform + ".sql"))
			.execute(new DriverManagerDataSource(this.url, this.user, ""));
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

	/** A pool of Tomcat that closes each connection that is in use for six seconds. */
	org.apache.tomcat.jdbc.pool.DataSource abandoningPool() {
		org.apache.tomcat.jdbc.pool.DataSource pool = new org.apache.tomcat.jdbc.pool.DataSource();
		pool.setUrl(this.url);
		pool.setUsername(this.user);
		pool.setInitialSize(0);
		pool.setMinIdle(0);
		pool.setRemoveAbandoned(true);
		pool.setRemoveAbandonedTimeout(6);
		pool.setTimeBetweenEvictionRunsMillis(1000);
		return pool;
	}

	/** A template for the tests, which opens a connection for each statement. */
	JdbcTemplate direct() {
		return new JdbcTemplate(new DriverManagerDataSource(this.url, this.user, ""));
	}

}
