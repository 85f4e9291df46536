package io.github.distlock.backend.jdbc;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;

import io.github.distlock.LockInstance;
import io.github.distlock.backend.Ticket;
import io.github.distlock.docs.Pages;
import io.github.distlock.installed.Installed;
import io.github.distlock.operations.LockedStock;
import io.github.distlock.operations.RunbookCommands;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import org.springframework.jdbc.core.JdbcTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * The statements of the page about databases, and those of the runbook, show what holds a
 * lock, and end it, while one application holds the lock and another one waits for it.
 */
@Tag(Installed.TAG)
class OperatorStatementTests {

	private static final Path PAGE = Path.of("..", "docs", "stores-jdbc.md");

	private static final long NUMBER = AdvisoryLocks.number("public", "distlock_lock", "distlock:", "stock-42");

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
		return new LockedStock(Map.of("distlock.backend", "jdbc", "distlock.jdbc.mode", mode, "spring.datasource.url",
				database.url(), "spring.datasource.username", database.user()));
	}

	/** The line of a kind for a database. */
	private static String line(Database server, String beginning) {
		List<String> lines = lines().stream().filter((line) -> line.startsWith(beginning)).toList();
		assertThat(lines).hasSize(3);
		return lines.get(List.of(Database.POSTGRESQL, Database.MARIADB, Database.H2).indexOf(server));
	}

	private static String only(String beginning) {
		List<String> lines = lines().stream().filter((line) -> line.startsWith(beginning)).toList();
		assertThat(lines).hasSize(1);
		return lines.get(0);
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
		try {
			String page = Files.readString(PAGE);
			String section = page.substring(page.indexOf(SECTION) + SECTION.length()).split("\n## ", 2)[0];
			return List.of(String.join(" ", Pages.codeLines(section)).split(";\\s*"));
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	@Test
	void inPostgresqlTheStatementOfTheRunbookShowsTheHolders() {
		TestDatabase database = TestDatabase.postgres();
		JdbcTemplate administrator = database.direct();
		try (LockedStock stock = stock(database, "lease")) {
			assertThat(administrator.queryForList(select("convert_from")))
				.anySatisfy((row) -> assertThat(row).containsEntry("lock_key", "distlock:stock-42"));
			assertThat(RunbookCommands.lines("", "SELECT count(*)"))
				.allSatisfy((line) -> assertThat(administrator.queryForList(line)).isNotEmpty());
			assertThat(stock.held().isHeld()).isTrue();
		}
	}

	@Test
	void inMariaDbTheStatementOfTheRunbookShowsTheHolders() {
		TestDatabase database = TestDatabase.mariaDb();
		try (LockedStock stock = stock(database, "lease")) {
			assertThat(database.direct().queryForList(select("FROM_UNIXTIME")))
				.anySatisfy((row) -> assertThat(row).containsEntry("lock_key", "distlock:stock-42"));
			assertThat(stock.held().isHeld()).isTrue();
		}
	}

	@Test
	void eachStatementOfTheRunbookIsInOneOfTheseTests() {
		assertThat(RunbookCommands.lines("", "SELECT", "UPDATE", "DELETE")).allMatch((line) -> line.contains("convert_")
				|| line.contains("count(*)") || line.contains("objsubid = 2") || line.contains("FROM_UNIXTIME"));
	}

	private static String select(String part) {
		return RunbookCommands.lines("Database", "SELECT")
			.stream()
			.filter((line) -> line.contains(part))
			.findFirst()
			.orElseThrow();
	}

}
