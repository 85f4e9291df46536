package io.github.distlock.backend.jdbc;

import java.util.List;
import java.util.Map;

import io.github.distlock.installed.Installed;
import io.github.distlock.operations.LockedStock;
import io.github.distlock.operations.RunbookCommands;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.jdbc.core.JdbcTemplate;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The SQL of the runbook runs on real databases while one application holds the lock and
 * another one waits for it.
 */
@Tag(Installed.TAG)
class RunbookSqlTests {

	private static final String TO_END = "To end a grant";

	@Test
	void inPostgresqlTheStatementsShowTheHolderAndEndItsGrant() {
		TestDatabase database = TestDatabase.postgres();
		JdbcTemplate administrator = database.direct();
		try (LockedStock stock = stock(database, "lease")) {
			assertThat(administrator.queryForList(select("Database", "convert_from")))
				.anySatisfy((row) -> assertThat(row).containsEntry("lock_key", "distlock:stock-42"));
			assertThat(RunbookCommands.lines("", "SELECT count(*)"))
				.allSatisfy((line) -> assertThat(administrator.queryForList(line)).isNotEmpty());
			List<String> updates = RunbookCommands.lines(TO_END, "UPDATE");
			assertThat(updates).hasSize(1);
			assertThat(administrator.update(updates.get(0))).isEqualTo(1);
			stock.awaitNextHolder();
		}
	}

	@Test
	void inPostgresqlTheStatementsShowTheSessionThatLockedARowAndEndIt() {
		TestDatabase database = TestDatabase.postgres();
		try (LockedStock stock = stock(database, "row")) {
			assertThat(database.direct().queryForList(select("Database", "xmax"))).hasSize(1)
				.allSatisfy((row) -> assertThat(row).containsEntry("state", "idle in transaction"));
			assertThat(database.direct().queryForList(select(TO_END, "pg_terminate_backend"))).hasSize(1);
			stock.awaitNextHolder();
		}
	}

	@Test
	void inMariaDbTheStatementsShowTheHolder() {
		TestDatabase database = TestDatabase.mariaDb();
		try (LockedStock stock = stock(database, "lease")) {
			assertThat(database.direct().queryForList(select("Database", "FROM_UNIXTIME")))
				.anySatisfy((row) -> assertThat(row).containsEntry("lock_key", "distlock:stock-42"));
			assertThat(stock.held().isHeld()).isTrue();
		}
		try (LockedStock stock = stock(database, "row")) {
			assertThat(database.direct().queryForList(select("Database", "innodb_trx"))).isNotEmpty();
			assertThat(stock.held().isHeld()).isTrue();
		}
	}

	@Test
	void eachStatementOfThePageIsInOneOfTheseTests() {
		assertThat(RunbookCommands.lines("", "SELECT", "UPDATE", "DELETE"))
			.allMatch((line) -> line.contains("convert_") || line.contains("count(*)") || line.contains("pg_locks")
					|| line.contains("FROM_UNIXTIME") || line.contains("innodb_trx"));
	}

	private static LockedStock stock(TestDatabase database, String mode) {
		return new LockedStock(Map.of("distlock.backend", "jdbc", "distlock.jdbc.mode", mode, "spring.datasource.url",
				database.url(), "spring.datasource.username", database.user()));
	}

	private static String select(String section, String part) {
		return RunbookCommands.lines(section, "SELECT")
			.stream()
			.filter((line) -> line.contains(part))
			.findFirst()
			.orElseThrow();
	}

}
