package io.github.distlock.backend.jdbc;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

import io.github.distlock.LockInstance;
import io.github.distlock.backend.LockKeys;
import io.github.distlock.backend.Ticket;
import io.github.distlock.docs.CodeBlock;
import io.github.distlock.docs.Pages;
import io.github.distlock.installed.Installed;
import io.github.distlock.operations.LockedStock;
import io.github.distlock.operations.OperationsFiles;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

import org.springframework.core.io.ByteArrayResource;
import org.springframework.core.io.ClassPathResource;
import org.springframework.core.io.Resource;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.init.ScriptUtils;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * The SQL examples of all pages run, page by page, in an empty database with the tables
 * of distlock and of an example application. A block without a mark runs in H2 and in
 * PostgreSQL, a block with the name of a database runs there.
 * <p>
 * The statements of the page about databases, and those of the runbook, show what holds a
 * lock, and end it, while one application holds the lock and another one waits for it.
 */
@Tag(Installed.TAG)
class SqlBlockTests {

	private static final long NUMBER = LockKeys.number("public", "distlock_lock", "distlock:", "stock-42");

	private static final String SECTION = "\n## Who holds a lock, and how to end it\n";

	@ParameterizedTest
	@EnumSource
	void inTheModeLeaseTheHolderIsShownWithItsJvmAndItsGrantIsEnded(Database server) {
		TestDatabase database = server.open();
		JdbcTemplate administrator = database.direct();
		try (LockedStock stock = stock(database, "lease")) {
			Map<String, Object> holder = administrator.queryForMap(line(server, "SELECT owner"));
			LockInstance instance = LockInstance.of(Ticket.of("", (String) holder.get("owner")).instance());
			assertThat(instance.host()).as("%s", holder).isNotNull();
			assertThat(instance.pid()).isEqualTo(ProcessHandle.current().pid());
			String update = line(server, "UPDATE");
			assertThat(administrator.update(update.replace("<fence>", "1"))).isZero();
			assertThat(administrator.update(update.replace("<fence>", String.valueOf(holder.get("fence"))))).isOne();
			stock.awaitNextHolder();
		}
	}

	@ParameterizedTest
	@EnumSource
	void inTheModeConnectionTheSessionOfTheHolderIsShownAndEnded(Database server) {
		TestDatabase database = server.open();
		JdbcTemplate administrator = database.direct();
		String list = switch (server) {
			case POSTGRESQL -> "SELECT pid, ";
			case MARIADB -> "SELECT trx_";
			case H2 -> "SELECT session_id";
		};
		String end = switch (server) {
			case POSTGRESQL -> "SELECT pg_terminate";
			case MARIADB -> "KILL";
			case H2 -> "SELECT ABORT";
		};
		try (LockedStock stock = stock(database, "connection")) {
			if (server == Database.POSTGRESQL) {
				assertThat(administrator.queryForObject(only("SELECT ('x'"), Long.class)).isEqualTo(NUMBER);
				awaitWaiting(administrator);
			}
			List<Map<String, Object>> sessions = administrator.queryForList(numbered(list));
			assertThat(sessions).isNotEmpty();
			if (server == Database.POSTGRESQL) {
				assertThat(sessions).hasSize(2)
					.allSatisfy((session) -> assertThat((String) session.get("application_name"))
						.contains(":" + ProcessHandle.current().pid() + ":"));
				assertThat(administrator.queryForList(numbered(end))).hasSize(1);
			}
			else {
				for (Map<String, Object> session : sessions) {
					administrator
						.execute(only(end).replaceAll("<.*>", String.valueOf(session.values().iterator().next())));
				}
			}
			stock.awaitNextHolder();
		}
	}

	@Test
	void eachStatementOfThePageIsInOneOfTheseTests() {
		assertThat(lines()).hasSize(13);
	}

	private static LockedStock stock(TestDatabase database, String mode) {
		return new LockedStock(
				Map.of("distlock.backend", "jdbc", "distlock.jdbc.mode", mode, "distlock.jdbc.command-timeout", "5s",
						"spring.datasource.url", database.url(), "spring.datasource.username", database.user()));
	}

	/** The line of a kind for a database. */
	private static String line(Database server, String beginning) {
		List<String> lines = lines().stream().filter((line) -> line.startsWith(beginning)).toList();
		assertThat(lines).hasSize(3);
		return lines.get(List.of(Database.POSTGRESQL, Database.MARIADB, Database.H2).indexOf(server));
	}

	private static String only(String beginning) {
		return assertThat(lines()).filteredOn((line) -> line.startsWith(beginning)).singleElement().actual();
	}

	private static String numbered(String beginning) {
		return only(beginning).replace("<number>", Long.toString(NUMBER));
	}

	/**
	 * The ticket of the second application waits in the server after its first attempt.
	 */
	private static void awaitWaiting(JdbcTemplate administrator) {
		await().atMost(Duration.ofSeconds(30))
			.until(() -> !administrator
				.queryForList("SELECT pid FROM pg_locks WHERE locktype = 'advisory' AND NOT granted")
				.isEmpty());
	}

	private static List<String> lines() {
		String page = Pages.text("docs/stores-jdbc.md");
		String section = page.substring(page.indexOf(SECTION) + SECTION.length()).split("\n## ", 2)[0];
		return List.of(String.join(" ", Pages.codeLines(section)).split(";\\s*"));
	}

	@ParameterizedTest
	@CsvSource({ "POSTGRESQL, convert_from", "MARIADB, FROM_UNIXTIME" })
	void theStatementOfTheRunbookShowsTheHolders(Database server, String part) {
		TestDatabase database = server.open();
		JdbcTemplate administrator = database.direct();
		try (LockedStock stock = stock(database, "lease")) {
			assertThat(administrator.queryForList(select(part)))
				.anySatisfy((row) -> assertThat(row).containsEntry("lock_key", "distlock:stock-42"));
			if (server == Database.POSTGRESQL) {
				assertThat(OperationsFiles.commands("", "SELECT count(*)"))
					.allSatisfy((line) -> assertThat(administrator.queryForList(line)).isNotEmpty());
			}
			assertThat(stock.held().isHeld()).isTrue();
		}
	}

	@Test
	void eachStatementOfTheRunbookIsInOneOfTheseTests() {
		assertThat(OperationsFiles.commands("", "SELECT", "UPDATE", "DELETE"))
			.allMatch((line) -> line.contains("convert_") || line.contains("count(*)") || line.contains("objsubid = 2")
					|| line.contains("FROM_UNIXTIME"));
	}

	private static String select(String part) {
		return OperationsFiles.commands("Database", "SELECT")
			.stream()
			.filter((line) -> line.contains(part))
			.findFirst()
			.orElseThrow();
	}

	private static final Pattern COMMENT = Pattern.compile("(?m)--.*$");

	/** A number that a reader replaces, such as {@code <fence>}. */
	private static final Pattern PLACEHOLDER = Pattern.compile("<\\w+>");

	private static final Pattern CREATED = Pattern.compile("(?i)create table (?:if not exists )?(\\w+)");

	/** The session that a placeholder names does not exist. */
	private static final int UNKNOWN_THREAD = 1094;

	/** The tables of an application, unless the page creates them. */
	private static final Map<String, String> EXAMPLES = Map.of("stock",
			"sku VARCHAR(64) PRIMARY KEY, quantity INT NOT NULL, fence BIGINT DEFAULT 0 NOT NULL, version INT", "sales",
			"sku VARCHAR(64) NOT NULL, serial_number BIGINT NOT NULL", "account",
			"id VARCHAR(64) PRIMARY KEY, balance DECIMAL(12, 2) NOT NULL, fence BIGINT DEFAULT 0 NOT NULL", "orders",
			"id VARCHAR(64) PRIMARY KEY, status VARCHAR(20) NOT NULL, fence BIGINT DEFAULT 0 NOT NULL");

	@ParameterizedTest
	@EnumSource
	void eachStatementRuns(Database server) throws SQLException {
		String dialect = server.name().toLowerCase();
		Map<String, List<CodeBlock>> pages = Pages.blocks()
			.stream()
			.filter((block) -> block.language().equals("sql") && appliesTo(block, dialect))
			.collect(Collectors.groupingBy(CodeBlock::page));
		List<String> errors = new ArrayList<>();
		for (List<CodeBlock> blocks : pages.values()) {
			errors.addAll(errors(server.open(), blocks));
		}
		assertThat(String.join("\n", errors)).isEmpty();
	}

	@Test
	void eachMarkIsTheNameOfADatabase() {
		assertThat(Pages.blocks()).filteredOn((block) -> block.language().equals("sql"))
			.flatExtracting(CodeBlock::marks)
			.isSubsetOf("h2", "postgresql", "mariadb", "mysql");
	}

	@Test
	void anErrorNamesThePageAndTheStatement() throws SQLException {
		List<CodeBlock> blocks = List.of(new CodeBlock("page.md", 5, "sql", true, """
				UPDATE stock SET fence = <fence> WHERE sku = '42'; -- a comment
				UPDATE stock SET quantity = ? WHERE sku = ?;
				"""), new CodeBlock("page.md", 9, "sql", true, """
				UPDATE stock
				SET wrong = 1;
				"""));
		for (Database server : List.of(Database.H2, Database.POSTGRESQL)) {
			assertThat(errors(server.open(), blocks)).singleElement()
				.asString()
				.startsWith("page.md:9: ")
				.containsIgnoringCase("wrong");
		}
	}

	private static boolean appliesTo(CodeBlock block, String dialect) {
		return block.marks().contains(dialect) || block.marks().isEmpty() && !dialect.equals("mariadb");
	}

	private static List<String> errors(TestDatabase database, List<CodeBlock> blocks) throws SQLException {
		List<String> errors = new ArrayList<>();
		String name = "page_" + UUID.randomUUID().toString().replace("-", "");
		try (Connection connection = open(database, name); Statement statement = connection.createStatement()) {
			createTables(database, connection, blocks);
			for (CodeBlock block : blocks) {
				for (String text : statements(block)) {
					try {
						run(statement, text);
					}
					catch (SQLException ex) {
						if (ex.getErrorCode() != UNKNOWN_THREAD) {
							errors.add(block.place() + ": " + ex.getMessage() + "\n    " + text);
						}
					}
				}
			}
			if (!database.platform().equals("h2")) {
				statement.execute("DROP SCHEMA " + name + (database.platform().equals("postgresql") ? " CASCADE" : ""));
			}
		}
		return errors;
	}

	private static void run(Statement statement, String text) throws SQLException {
		if (text.contains("?")) {
			// The server checks the statement without its parameters.
			try (PreparedStatement prepared = statement.getConnection().prepareStatement(text)) {
				assertThat(prepared.getParameterMetaData().getParameterCount()).isPositive();
			}
		}
		else {
			statement.execute(text);
		}
	}

	private static Connection open(TestDatabase database, String name) throws SQLException {
		if (database.platform().equals("h2")) {
			return DriverManager.getConnection("jdbc:h2:mem:" + name, "sa", "");
		}
		Connection connection = DriverManager.getConnection(database.url(), database.user(), "");
		try (Statement statement = connection.createStatement()) {
			statement.execute("CREATE SCHEMA " + name);
			statement.execute((database.platform().equals("postgresql") ? "SET search_path TO " : "USE ") + name);
		}
		return connection;
	}

	private static void createTables(TestDatabase database, Connection connection, List<CodeBlock> blocks) {
		List<String> created = blocks.stream()
			.flatMap((block) -> CREATED.matcher(block.text()).results())
			.map((table) -> table.group(1).toLowerCase())
			.toList();
		if (!created.contains("distlock_lock")) {
			ScriptUtils.executeSqlScript(connection,
					new ClassPathResource("io/github/distlock/backend/jdbc/schema-" + database.platform() + ".sql"));
		}
		EXAMPLES.forEach((table, columns) -> {
			if (!created.contains(table)) {
				Resource script = new ByteArrayResource(("CREATE TABLE " + table + " (" + columns + ");").getBytes());
				ScriptUtils.executeSqlScript(connection, script);
			}
		});
	}

	private static List<String> statements(CodeBlock block) {
		String code = PLACEHOLDER.matcher(COMMENT.matcher(block.text()).replaceAll("")).replaceAll("0");
		List<String> statements = new ArrayList<>();
		for (String statement : code.split(";\\s*(?:\n|$)")) {
			if (!statement.isBlank()) {
				statements.add(statement.strip());
			}
		}
		return statements;
	}

}
