package io.github.distlock.check;

import java.io.IOException;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;

import io.github.distlock.LockBackendException;
import io.github.distlock.check.Finding.Verdict;
import io.lettuce.core.RedisClient;
import io.lettuce.core.api.sync.RedisCommands;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.output.StatusOutput;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;
import redis.embedded.RedisServer;

import org.springframework.boot.json.JsonParserFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/**
 * The check against a real Redis and a real database.
 */
class CheckTests {

	/** The machine may stand still for some seconds. */
	private static final List<String> PATIENT = List.of("--distlock.lease-time=61s", "--distlock.backend-timeout=30s",
			"--distlock.redis.command-timeout=20s", "--distlock.jdbc.command-timeout=5s",
			"--spring.data.redis.timeout=20s", "--spring.data.redis.connect-timeout=20s",
			"--spring.jdbc.template.query-timeout=20s");

	private static final String PASSWORD = "hunter2 %{+${user.home}${b:c}${d}";

	private static RedisServer redis;

	private static RedisClient client;

	private static RedisCommands<String, String> commands;

	private static int port;

	@BeforeAll
	static void startServerWithTheDocumentedUser() throws IOException {
		try (ServerSocket free = new ServerSocket(0)) {
			port = free.getLocalPort();
		}
		redis = RedisServer.newRedisServer().port(port).setting("save \"\"").setting("bind 127.0.0.1").build();
		redis.start();
		client = RedisClient.create("redis://127.0.0.1:" + port);
		commands = client.connect().sync();
		String rights = Files.readAllLines(Path.of("..", "docs", "redis-operations.md"))
			.stream()
			.filter((line) -> line.startsWith("ACL SETUSER distlock on"))
			.findFirst()
			.orElseThrow();
		acl(Arrays.stream(rights.split(" "))
			.skip(1)
			.map((word) -> word.equals(">password") ? ">" + PASSWORD : word)
			.toList());
	}

	private static void acl(List<String> words) {
		commands.dispatch(CommandType.ACL, new StatusOutput<>(StringCodec.UTF8),
				new CommandArgs<>(StringCodec.UTF8).addValues(words));
	}

	@AfterAll
	static void stop() throws IOException {
		client.shutdown();
		redis.stop();
	}

	/** Two at once, since most of the time is spent on waiting. */
	@Test
	void aWholeCheckLeavesNothingBehindAndNeitherDoesOneThatIsEnded(@TempDir Path folder) throws Exception {
		commands.set("distlock:lock:{foreign}", "kept");
		Path json = folder.resolve("report.json");
		killOne();
		Process whole = start("redis://distlock@127.0.0.1", "--json", json.toString(), "--watch", "1s");
		Process ended = start("redis://distlock@127.0.0.1", "--watch", "10m");
		// Its child JVMs are the last thing that it starts before it uses locks.
		await().until(() -> !ended.isAlive() || ended.children().count() >= 2);
		ended.destroy();
		assertThat(ended.waitFor()).isEqualTo(143);
		String out = new String(whole.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
		String err = new String(whole.getErrorStream().readAllBytes(), StandardCharsets.UTF_8);
		assertThat(whole.waitFor()).as(out + err).isZero();
		// Those of the killed one have a time at which they end.
		await().until(() -> commands.keys("*").stream().noneMatch((key) -> commands.pttl(key) > 0));
		assertThat(commands.keys("*")).containsExactly("distlock:lock:{foreign}");
		assertThat(commands.get("distlock:lock:{foreign}")).isEqualTo("kept");
		assertThat(out + err + Files.readString(json)).doesNotContain(PASSWORD, "hunter2");
		Map<String, Object> report = JsonParserFactory.getJsonParser().parseMap(Files.readString(json));
		assertThat(report).containsEntry("exit", 0L).containsKey("server");
		assertThat((List<?>) report.get("rows"))
			.map((row) -> ((Map<?, ?>) row).get("name") + ": " + ((Map<?, ?>) row).get("verdict"))
			.contains("commands: ok", "product: not known", "eviction: not known", "persistence: not known",
					"lock and clock: ok", "messages: ok", "exclusion: ok", "lease: ok", "watch: ok", "killed JVM: ok");
		assertThat(out).contains("not known eviction", "why: Every other policy removes locks",
				"do: Set maxmemory-policy noeviction");
	}

	/** What a killed check has written ends by its time, if that is not changed. */
	private static void killOne() throws Exception {
		Process killed = start(List.of(), "redis://distlock@127.0.0.1", "--watch", "10m");
		await().until(() -> !killed.isAlive()
				|| killed.children().count() >= 2 && !commands.keys("*distlock-check-*").isEmpty());
		List<ProcessHandle> children = killed.children().toList();
		assertThat(killed.destroyForcibly().waitFor()).isEqualTo(137);
		children.forEach((child) -> child.onExit().join());
		assertThat(commands.keys("*distlock-check-*"))
			.allSatisfy((key) -> assertThat(commands.pttl(key)).isNotEqualTo(-1).isLessThanOrEqualTo(15_000));
	}

	private static ConditionFactory await() {
		return Awaitility.await().atMost(Duration.ofMinutes(2)).pollInterval(Duration.ofMillis(10));
	}

	private static Process start(String... arguments) throws IOException {
		return start(PATIENT, arguments);
	}

	private static Process start(List<String> options, String... arguments) throws IOException {
		List<String> command = new ArrayList<>(
				List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-XX:TieredStopAtLevel=1",
						"-Dcheck.limit=10m",
						// Child JVMs, too, need the options of the JVM and write digits
						// in its language.
						"-Dspring.data.redis.port=" + port, "-Duser.language=ar", "-Duser.country=EG", "-cp",
						System.getProperty("java.class.path"), DistlockCheck.class.getName()));
		command.addAll(List.of(arguments));
		command.addAll(options);
		ProcessBuilder builder = new ProcessBuilder(command);
		builder.environment().put(DistlockCheck.PASSWORD, PASSWORD);
		return builder.start();
	}

	@Test
	void aServerThatEvictsAndTakesNoMoreFails() {
		commands.configSet("maxmemory", "100mb");
		commands.configSet("maxmemory-policy", "allkeys-lru");
		try (TestServer server = new TestServer("redis://127.0.0.1:" + port)) {
			assertThat(server.find("eviction").verdict()).isEqualTo(Verdict.FAILED);
			assertThat(server.find("product").verdict()).isEqualTo(Verdict.OK);
			assertThat(server.find("persistence").verdict()).isEqualTo(Verdict.WARNING);
			assertThat(server.find("replication").verdict()).isEqualTo(Verdict.OK);
			commands.configSet("maxmemory-policy", "noeviction");
			commands.configSet("maxmemory", "1");
			assertThat(server.find("eviction").verdict()).isEqualTo(Verdict.OK);
			assertThat(server.checks.commands()).satisfies((full) -> {
				assertThat(full.verdict()).isEqualTo(Verdict.FAILED);
				assertThat(full.text()).contains("has no memory for new keys");
			});
		}
		finally {
			commands.configSet("maxmemory", "0");
		}
	}

	@Test
	void withoutTheRightToMessagesLocksWorkAtACostAndWithoutAnotherRightTheyFail() {
		acl(List.of("SETUSER", "mute", "on", ">pw", "~distlock:*", "resetchannels", "+@all"));
		acl(List.of("SETUSER", "weak", "on", ">pw", "~distlock:*", "&*", "+@all", "-zadd"));
		try (TestServer mute = new TestServer("redis://mute@127.0.0.1:" + port);
				TestServer weak = new TestServer("redis://weak@127.0.0.1:" + port)) {
			assertThat(mute.checks.commands().verdict()).isEqualTo(Verdict.WARNING);
			assertThat(weak.checks.commands()).satisfies((finding) -> {
				assertThat(finding.verdict()).isEqualTo(Verdict.FAILED);
				assertThat(finding.text()).contains("ZADD");
			});
		}
	}

	@Test
	void aChildJvmThatGetsNoLockSaysWhyAndAnswersAgain() {
		acl(List.of("SETUSER", "other", "on", ">pw", "~other:*", "&*", "+@all"));
		WorkerProcess child = WorkerProcess.start(
				Stream
					.concat(Stream.of("worker", "test", "redis://other@127.0.0.1:" + port, "--distlock.wait-time=1s"),
							PATIENT.stream())
					.toList(),
				"pw");
		try {
			child.answer();
			for (String row : List.of("messages", "killed")) {
				assertThatThrownBy(() -> child.tell("hold " + row + " PT10S").answer())
					.isInstanceOf(LockBackendException.class)
					.hasMessageStartingWith("a child JVM: refused ");
			}
		}
		finally {
			child.kill();
		}
	}

	@Test
	void timesAreWrittenWithAPointInEachLanguage() {
		Locale before = Locale.getDefault();
		Locale.setDefault(Locale.GERMANY);
		try (TestServer server = new TestServer("redis://127.0.0.1:" + port)) {
			assertThat(server.find("round trip").text()).matches("p50 \\d+\\.\\d ms, p99 \\d+\\.\\d ms");
		}
		finally {
			Locale.setDefault(before);
		}
	}

	@Test
	void aReportThatCannotBeWrittenIsKnownBeforeTheCheck(@TempDir Path folder) throws Exception {
		Path json = folder.resolve("missing").resolve("report.json");
		Process check = start("redis://distlock@127.0.0.1", "--json", json.toString());
		assertThat(check.getInputStream().readAllBytes()).isEmpty();
		assertThat(new String(check.getErrorStream().readAllBytes(), StandardCharsets.UTF_8))
			.contains("NoSuchFileException: " + json)
			.doesNotContain("\tat ");
		assertThat(check.waitFor()).isEqualTo(2);
	}

	@Test
	void theTableOfAnApplicationIsNotDroppedWhateverItsPrefixIs(@TempDir Path folder) throws SQLException {
		String url = "jdbc:h2:file:" + folder.resolve("prefix") + ";AUTO_SERVER=TRUE";
		try (Connection connection = DriverManager.getConnection(url);
				Statement statement = connection.createStatement()) {
			statement.execute("CREATE TABLE distlock_prod_lock (lock_key VARBINARY(1024) PRIMARY KEY)");
			try (TestServer server = new TestServer(url, "--create", "--distlock.jdbc.ta-ble-prefix=distlock_prod_")) {
				server.server.cleanUp();
			}
			assertThat(tables(statement)).contains("DISTLOCK_PROD_LOCK");
		}
	}

	@Test
	void aDatabaseWithoutTheTableFailsAndGetsOneOnlyIfThatIsAskedFor(@TempDir Path folder) throws SQLException {
		String url = "jdbc:h2:file:" + folder.resolve("shop") + ";AUTO_SERVER=TRUE";
		try (Connection connection = DriverManager.getConnection(url);
				Statement statement = connection.createStatement()) {
			try (TestServer server = new TestServer(url)) {
				assertThat(server.checks.commands()).satisfies((missing) -> {
					assertThat(missing.verdict()).isEqualTo(Verdict.FAILED);
					assertThat(missing.text()).contains("distlock_lock");
				});
				assertThat(tables(statement)).isEmpty();
			}
			try (TestServer server = new TestServer(url, "--create")) {
				assertThat(server.checks.commands().verdict()).isEqualTo(Verdict.OK);
				assertThat(server.find("pooler").verdict()).isEqualTo(Verdict.OK);
				assertThat(server.find("product").text()).startsWith("H2 2.");
				assertThat(server.find("lock and clock").verdict()).isIn(Verdict.OK, Verdict.WARNING);
				assertThat(tables(statement)).containsExactly("DISTLOCK_CHECK_TEST_LOCK");
				server.server.cleanUp();
				assertThat(tables(statement)).isEmpty();
			}
		}
	}

	@Test
	void rowsOfOthersStayInTheTable(@TempDir Path folder) throws SQLException {
		String url = "jdbc:h2:file:" + folder.resolve("rows") + ";AUTO_SERVER=TRUE";
		try (Connection connection = DriverManager.getConnection(url);
				Statement statement = connection.createStatement()) {
			statement.execute("CREATE TABLE distlock_lock (lock_key VARBINARY(1024) PRIMARY KEY)");
			for (String key : List.of("a", "check:distlock-check-test", "check:distlock-check-test-lease",
					"check:distlock-check-test-x", "check:distlock-check-tesu-x", "z")) {
				statement.execute("INSERT INTO distlock_lock VALUES (STRINGTOUTF8('" + key + "'))");
			}
			try (TestServer server = new TestServer(url)) {
				server.server.cleanUp();
			}
			assertThat(rows(statement, "SELECT UTF8TOSTRING(lock_key) FROM distlock_lock ORDER BY lock_key"))
				.containsExactly("a", "check:distlock-check-test", "check:distlock-check-tesu-x", "z");
		}
	}

	@Test
	@Tag("full")
	@EnabledIfSystemProperty(named = "distlock.full", matches = "true", disabledReason = "Set -Ddistlock.full=true")
	void postgresqlIsAskedForItsSettingsAndKeepsNoTable() throws Exception {
		try (EmbeddedPostgres postgres = EmbeddedPostgres.start();
				TestServer server = new TestServer(postgres.getJdbcUrl("postgres", "postgres"), "--create");
				Connection connection = postgres.getPostgresDatabase().getConnection();
				Statement statement = connection.createStatement()) {
			assertThat(server.checks.commands().verdict()).isEqualTo(Verdict.OK);
			assertThat(server.find("product").text()).startsWith("PostgreSQL 14");
			// As the server of the tests is configured.
			assertThat(server.find("persistence").verdict()).isEqualTo(Verdict.WARNING);
			assertThat(server.find("replication").verdict()).isEqualTo(Verdict.OK);
			assertThat(server.find("pooler").verdict()).isEqualTo(Verdict.OK);
			server.server.cleanUp();
			assertThat(rows(statement, "SELECT tablename FROM pg_tables WHERE tablename LIKE 'distlock%'")).isEmpty();
		}
	}

	private static List<String> tables(Statement statement) throws SQLException {
		return rows(statement, "SELECT table_name FROM information_schema.tables WHERE table_name LIKE 'DISTLOCK%'");
	}

	private static List<String> rows(Statement statement, String query) throws SQLException {
		List<String> rows = new ArrayList<>();
		try (ResultSet answer = statement.executeQuery(query)) {
			while (answer.next()) {
				rows.add(answer.getString(1));
			}
		}
		return rows;
	}

	/** The checks of a server, without child JVMs. */
	private static final class TestServer implements AutoCloseable {

		private final Server server;

		private final Checks checks;

		TestServer(String... arguments) {
			Options options = Options.parse(Stream.concat(Stream.of(arguments), PATIENT.stream()).toList());
			this.server = Server.open(options.texts(),
					options.properties("test", arguments[0].contains("@") ? "pw" : ""));
			this.checks = new Checks(this.server, options.texts(), List.of());
		}

		Finding find(String row) {
			try {
				return Objects.requireNonNull(this.checks.all(Duration.ZERO).get(row)).call();
			}
			catch (Exception ex) {
				throw new IllegalStateException(ex);
			}
		}

		@Override
		public void close() {
			this.server.context().close();
		}

	}

}
