package io.github.distlock.backend.jdbc;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.github.distlock.LockRegistry;
import io.github.distlock.LockRequest;
import io.github.distlock.backend.TimeSource;
import io.github.distlock.backend.jdbc.TransactionShop.Sales;
import io.github.distlock.installed.Installed;
import io.github.distlock.registry.BackendLockRegistry;
import io.github.distlock.testing.Unchecked;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.jdbc.core.JdbcTemplate;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The statements of a free lock and a transaction with one of the application's own, as
 * the server counts them. The page {@code stores-transaction.md} has the numbers.
 */
class TransactionStatementTests {

	/** What the stores send from time to time is less than one for each. */
	private static final int CYCLES = 50;

	private static final Duration MINUTE = Duration.ofMinutes(1);

	private final String key = "statements-" + UUID.randomUUID();

	@Test
	void onPostgreSqlTheTransactionSendsWhatALockByHandSends() throws Exception {
		TestDatabase database = TestDatabase.postgres().granting(List.of("SELECT", "INSERT", "UPDATE", "DELETE"));
		TestDatabase.postgres().direct().execute("CREATE EXTENSION IF NOT EXISTS pg_stat_statements");
		try (TransactionShop shop = shop(database); JdbcNodes nodes = new JdbcNodes()) {
			Runnable own = own(shop);
			Map<String, Runnable> cycles = cycles(shop, own,
					() -> shop.jdbc.queryForList("SELECT pg_advisory_xact_lock(1)"));
			BackendLockRegistry lease = nodes.registry(shop.pool, MINUTE, MINUTE);
			BackendLockRegistry connection = nodes.registry(
					JdbcBackend.connection(shop.pool, JdbcUnderTest.CONNECTION_SETTINGS, TimeSource.SYSTEM), MINUTE,
					MINUTE, Duration.ofMillis(50));
			cycles.put("lease", () -> locked(lease, () -> shop.template.executeWithoutResult((status) -> own.run())));
			cycles.put("connection",
					() -> locked(connection, () -> shop.template.executeWithoutResult((status) -> own.run())));
			Map<String, Long> statements = new LinkedHashMap<>();
			cycles.forEach((name, cycle) -> statements.put(name, onPostgreSql(database.user(), cycle)));
			assertThat(statements).isEqualTo(
					Map.of("bare", 3L, "by hand", 4L, "transaction", 4L, "joined", 4L, "lease", 5L, "connection", 6L));
		}
	}

	@Test
	@Tag(Installed.TAG)
	void onMariaDbTheTransactionSendsWhatALockByHandSends() {
		try (TransactionShop shop = shop(TestDatabase.mariaDb())) {
			Map<String, Runnable> cycles = cycles(shop, own(shop),
					() -> shop.jdbc.update("SET STATEMENT innodb_lock_wait_timeout = 60 FOR"
							+ " INSERT INTO distlock_lock (lock_key, owner, fence, expires_at, wanted_at)"
							+ " VALUES ('hand', '', 0, 0, 0) ON DUPLICATE KEY UPDATE lock_key = lock_key"));
			Map<String, Long> statements = new LinkedHashMap<>();
			cycles.forEach((name, cycle) -> statements.put(name, onMariaDb(shop.jdbc, cycle)));
			assertThat(statements).isEqualTo(Map.of("bare", 4L, "by hand", 5L, "transaction", 5L, "joined", 5L));
		}
	}

	/** One connection, which is one session. */
	private static TransactionShop shop(TestDatabase database) {
		HikariConfig settings = database.poolSettings(1);
		settings.setTransactionIsolation("TRANSACTION_READ_COMMITTED");
		return new TransactionShop(new HikariDataSource(settings), List.of("distlock.backend=transaction"),
				(context) -> context.register(Sales.class));
	}

	/** Of a table: drivers commit no transaction that has touched none. */
	private static Runnable own(TransactionShop shop) {
		return () -> shop.jdbc.queryForList("SELECT 1 FROM distlock_lock WHERE lock_key = 'own'");
	}

	private Map<String, Runnable> cycles(TransactionShop shop, Runnable own, Runnable byHand) {
		Map<String, Runnable> cycles = new LinkedHashMap<>();
		cycles.put("bare", () -> shop.template.executeWithoutResult((status) -> own.run()));
		cycles.put("by hand", () -> shop.template.executeWithoutResult((status) -> {
			byHand.run();
			own.run();
		}));
		cycles.put("transaction", () -> shop.sales.once(this.key, own));
		cycles.put("joined", () -> shop.template.executeWithoutResult((status) -> shop.sales.once(this.key, () -> {
			own.run();
			shop.sales.once(this.key, () -> {
			});
		})));
		return cycles;
	}

	private void locked(LockRegistry registry, Runnable work) {
		Unchecked.call(() -> registry.execute(LockRequest.of(this.key), () -> {
			work.run();
			return true;
		}));
	}

	/**
	 * Without what was sent less than once in each cycle. A COMMIT, which the server does
	 * not count here, is one of a BEGIN.
	 */
	private static long onPostgreSql(String user, Runnable cycle) {
		cycle.run();
		JdbcTemplate counters = TestDatabase.postgres().direct();
		counters.queryForList("SELECT pg_stat_statements_reset(?::regrole::oid, 0, 0)::text", user);
		for (int i = 0; i < CYCLES; i++) {
			cycle.run();
		}
		return Objects.requireNonNull(counters.queryForObject(
				"SELECT sum(s.calls / ? * CASE query WHEN 'BEGIN' THEN 2 ELSE 1 END) FROM pg_stat_statements s"
						+ " WHERE s.userid = ?::regrole::oid",
				Long.class, CYCLES, user));
	}

	private static long onMariaDb(JdbcTemplate session, Runnable cycle) {
		cycle.run();
		long before = questions(session);
		for (int i = 0; i < CYCLES; i++) {
			cycle.run();
		}
		return (questions(session) - before) / CYCLES;
	}

	private static long questions(JdbcTemplate session) {
		return Objects.requireNonNull(
				session.queryForObject("SHOW SESSION STATUS LIKE 'Questions'", (row, number) -> row.getLong("Value")));
	}

}
