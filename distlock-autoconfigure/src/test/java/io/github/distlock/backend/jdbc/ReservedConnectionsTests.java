package io.github.distlock.backend.jdbc;

import java.sql.Connection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.UUID;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.github.distlock.LockBackendException;
import io.github.distlock.backend.AttemptResult;
import io.github.distlock.backend.Ticket;
import io.github.distlock.installed.Installed;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.LazyConnectionDataSourceProxy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

/**
 * The connections that the mode {@code lease} reserves for releases and renewals.
 */
@Tag(Installed.TAG)
@ExtendWith(OutputCaptureExtension.class)
class ReservedConnectionsTests {

	private static final Duration SOON = Duration.ofSeconds(30);

	private final String key = "reserve-" + UUID.randomUUID();

	@ParameterizedTest
	@CsvSource({ "10, , 2", "4, , 2", "3, , 1", "2, , 0", "1, , 0", "10, 0, 0", "10, 3, 3", "2, 1, 1", "3, 5, 2" })
	void theNumberDependsOnThePoolAndTheSettings(int size, Integer configured, int reserved) {
		try (HikariDataSource pool = TestDatabase.h2().pool(size);
				JdbcNode node = JdbcNode.leaseWithReserve(new LazyConnectionDataSourceProxy(pool), configured)) {
			assertThat(pool.getHikariPoolMXBean().getActiveConnections()).isEqualTo(reserved);
			assertThat(node.attemptOnce(this.key)).isInstanceOf(AttemptResult.Granted.class);
		}
	}

	@Test
	void theSizeOfAPoolThatSpringBootHasNotStartedYetIsFound() {
		HikariConfig settings = TestDatabase.h2().poolSettings(9);
		try (HikariDataSource pool = new HikariDataSource()) {
			pool.setJdbcUrl(settings.getJdbcUrl());
			pool.setUsername(settings.getUsername());
			try (JdbcNode node = JdbcNode.lease(pool)) {
				assertThat(pool.getHikariPoolMXBean().getActiveConnections()).isEqualTo(2);
				assertThat(node.attemptOnce(this.key)).isInstanceOf(AttemptResult.Granted.class);
			}
		}
	}

	@Test
	void theNumberOfReservedConnectionsIsLogged(CapturedOutput output) {
		try (HikariDataSource pool = TestDatabase.h2().pool(10); JdbcNode node = JdbcNode.lease(pool)) {
			assertThat(output).contains("reserves 2 connections of the DataSource (HikariDataSource, at most 10")
				.doesNotContainPattern("WARN .*ReservedConnectionCount");
		}
	}

	@Test
	void aPoolThatIsTooSmallIsAWarning(CapturedOutput output) {
		try (HikariDataSource pool = TestDatabase.h2().pool(2); JdbcNode node = JdbcNode.lease(pool)) {
			assertThat(output).containsPattern("WARN .*ReservedConnectionCount")
				.contains("reserves no connection of the DataSource (HikariDataSource, at most 2 connections)")
				.contains("spring.datasource.hikari.maximum-pool-size")
				.contains("distlock.jdbc.reserved-connections=0");
		}
	}

	@Test
	void theConnectionsAreReturnedAtTheEnd() {
		try (HikariDataSource pool = TestDatabase.h2().pool(10)) {
			JdbcNode.lease(pool).close();
			await().atMost(SOON).until(() -> pool.getHikariPoolMXBean().getActiveConnections() == 0);
			assertThat(pool.getHikariPoolMXBean().getIdleConnections()).isEqualTo(2);
		}
	}

	@ParameterizedTest
	@EnumSource
	void idleConnectionsOfAPoolWithoutAutoCommitHaveNoOpenTransaction(Database server) {
		HikariConfig settings = server.open().poolSettings(8);
		settings.setAutoCommit(false);
		settings.setTransactionIsolation("TRANSACTION_SERIALIZABLE");
		try (HikariDataSource pool = new HikariDataSource(settings);
				JdbcNode node = JdbcNode.lease(pool);
				JdbcNode other = JdbcNode.lease(pool)) {
			for (int i = 0; i < 20; i++) {
				Ticket ticket = node.ticket(this.key);
				node.take(ticket);
				assertThat(other.attemptOnce(this.key)).isInstanceOf(AttemptResult.Busy.class);
				assertThat(node.release(ticket)).isTrue();
			}
			if (server == Database.POSTGRESQL) {
				assertThat(server.open()
					.direct()
					.queryForList("SELECT query FROM pg_stat_activity WHERE state LIKE 'idle in transaction%'"))
					.isEmpty();
			}
		}
	}

	@ParameterizedTest
	@EnumSource(names = { "POSTGRESQL", "MARIADB" })
	void aBrokenConnectionIsReplacedAndTheReleaseThatFoundItIsSentByAnother(Database server) {
		TestDatabase database = server.open();
		try (HikariDataSource hikari = database.pool(10)) {
			ObservedPool pool = new ObservedPool(hikari, 10, 0);
			try (JdbcNode node = JdbcNode.lease(pool)) {
				Ticket ticket = node.ticket(this.key);
				node.take(ticket);
				Set<Connection> before = Set.copyOf(pool.used);
				assertThat(before).hasSize(2);
				endAllSessions(server, database);
				// Longer than a connection is used without validation.
				await().pollDelay(Duration.ofMillis(600)).until(() -> node.release(ticket));
				await().atMost(SOON)
					.untilAsserted(() -> assertThat(pool.used).hasSize(2).doesNotContainAnyElementsOf(before));
			}
		}
	}

	@Test
	void connectionsAreReplacedBeforeThePoolWouldEndThem() {
		try (HikariDataSource hikari = TestDatabase.h2().pool(10)) {
			ObservedPool pool = new ObservedPool(hikari, 10, 1000);
			try (JdbcNode node = JdbcNode.lease(pool)) {
				Set<Connection> before = Set.copyOf(pool.used);
				assertThat(before).hasSize(2);
				await().atMost(SOON)
					.untilAsserted(() -> assertThat(pool.used).hasSize(2).doesNotContainAnyElementsOf(before));
				assertThat(node.attemptOnce(this.key)).isInstanceOf(AttemptResult.Granted.class);
			}
			assertThat(pool.used).isEmpty();
		}
	}

	@Test
	void everyConnectionIsReplacedAfterAFailover() {
		try (HikariDataSource hikari = TestDatabase.postgres().pool(10)) {
			ObservedPool pool = new ObservedPool(hikari, 10, 0);
			try (JdbcNode node = JdbcNode.lease(pool)) {
				Ticket ticket = node.ticket(this.key);
				node.take(ticket);
				Set<Connection> before = Set.copyOf(pool.used);
				pool.failsOver();
				assertThatThrownBy(() -> node.release(ticket)).isInstanceOf(LockBackendException.class)
					.hasMessageContaining("read-only");
				await().atMost(SOON)
					.untilAsserted(() -> assertThat(pool.used).hasSize(2).doesNotContainAnyElementsOf(before));
				assertThat(node.release(ticket)).isTrue();
			}
		}
	}

	@Test
	void aRejectedStatementDoesNotCostAConnection() {
		HikariConfig settings = TestDatabase.postgres().poolSettings(10);
		settings.setConnectionInitSql("SET search_path = nowhere");
		try (HikariDataSource hikari = new HikariDataSource(settings)) {
			ObservedPool pool = new ObservedPool(hikari, 10, 0);
			try (JdbcNode node = JdbcNode.lease(pool)) {
				for (int i = 0; i < 20; i++) {
					assertThatThrownBy(() -> node.attemptOnce(this.key))
						.hasMessageContaining("distlock_lock is missing");
				}
				assertThat(pool.opened).hasValue(2);
			}
		}
	}

	@Test
	void noAttemptIsSentBeforeAllConnectionsAreReserved() {
		try (HikariDataSource hikari = TestDatabase.h2().pool(10)) {
			ObservedPool pool = new ObservedPool(hikari, 10, 0);
			pool.goesDown();
			try (JdbcNode node = JdbcNode.lease(pool)) {
				assertThatThrownBy(() -> node.attemptOnce(this.key)).isInstanceOf(LockBackendException.class)
					.hasMessageContaining("could not reserve its connections")
					.hasMessageContaining("Connection refused")
					.hasMessageContaining("distlock.jdbc.reserved-connections");
				pool.comesBack();
				await().atMost(SOON)
					.ignoreExceptions()
					.until(() -> node.attemptOnce(this.key) instanceof AttemptResult.Granted);
				assertThat(pool.used).hasSize(2);
			}
		}
	}

	@Test
	void releasesContinueWhenTheApplicationUsesAllOtherConnections() throws Exception {
		List<Connection> others = new ArrayList<>();
		try (HikariDataSource pool = TestDatabase.postgres().pool(4); JdbcNode node = JdbcNode.lease(pool)) {
			List<Ticket> tickets = new ArrayList<>();
			for (int i = 0; i < 200; i++) {
				tickets.add(node.ticket(this.key + i));
				node.take(tickets.get(i));
			}
			while (pool.getHikariPoolMXBean().getActiveConnections() < 4) {
				others.add(pool.getConnection());
			}
			assertThat(tickets.parallelStream().filter(node::release).count()).isEqualTo(200);
			for (Connection other : others) {
				other.close();
			}
		}
	}

	private static void endAllSessions(Database server, TestDatabase database) {
		JdbcTemplate jdbc = database.direct();
		if (server == Database.POSTGRESQL) {
			jdbc.queryForList("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid()"
					+ " AND backend_type = 'client backend'");
		}
		else {
			jdbc.queryForList("SELECT id FROM information_schema.processlist WHERE command = 'Sleep'", Long.class)
				.forEach((id) -> jdbc.execute("KILL " + id));
		}
	}

}
