package io.github.distlock.backend.jdbc;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.UUID;

import com.zaxxer.hikari.HikariDataSource;
import io.github.distlock.backend.AttemptResult;
import io.github.distlock.backend.Grant;
import io.github.distlock.backend.LockStore.Successor;
import io.github.distlock.backend.Ticket;
import io.github.distlock.backend.TimeSource;
import io.github.distlock.contract.Answers;
import io.github.distlock.installed.Installed;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import org.springframework.jdbc.core.JdbcTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Properties of the mode {@code lease} beyond the contract, on each database.
 */
@Tag(Installed.TAG)
class LeaseModeTests {

	private static final long HOUR_MICROS = Duration.ofHours(1).toNanos() / 1000;

	private final String key = "lease-" + UUID.randomUUID();

	@ParameterizedTest
	@EnumSource
	void aTokenIsHigherThanTheLastOneEvenIfTheClockWasSetBack(Database server) {
		TestDatabase database = server.open();
		try (HikariDataSource pool = database.pool(2); JdbcNode node = JdbcNode.lease(pool)) {
			node.take(node.ticket(this.key));
			long ahead = nowMicros() + HOUR_MICROS;
			database.direct()
				.update("UPDATE distlock_lock SET fence = ?, expires_at = 0 WHERE lock_key = ?", ahead,
						bytes(this.key));
			Ticket ticket = node.ticket(this.key);
			Grant grant = node.take(ticket);
			assertThat(grant.firstToken()).isEqualTo(ahead + 1);
			assertThat(grant.lastToken()).isEqualTo(ahead + 17);
			Answers.of(node.store.release(ticket, ahead + 3, null));
			assertThat(node.take(node.ticket(this.key)).firstToken()).isEqualTo(ahead + 4);
		}
	}

	@ParameterizedTest
	@EnumSource
	void cleanUpDeletesUnusedRowsAndKeepsATokenThatIsAheadOfTheClock(Database server) {
		TestDatabase database = server.open();
		insert(database, "stale", nowMicros() - HOUR_MICROS, nowMicros() - HOUR_MICROS);
		insert(database, "ahead", nowMicros() + HOUR_MICROS, nowMicros() - HOUR_MICROS);
		insert(database, "fresh", nowMicros() - HOUR_MICROS, nowMicros() + HOUR_MICROS);
		try (HikariDataSource pool = database.pool(2); JdbcNode node = JdbcNode.lease(pool)) {
			await().atMost(Duration.ofSeconds(15)).until(() -> count(database, "stale") == 0);
			assertThat(count(database, "ahead")).isEqualTo(1);
			assertThat(count(database, "fresh")).isEqualTo(1);
			assertThat(node.attemptOnce(this.key + "stale")).isInstanceOf(Grant.class);
		}
	}

	@ParameterizedTest
	@EnumSource
	void aReleaseLeavesTheLockToAnotherJvmThatHasAskedForItRecently(Database server) {
		TestDatabase database = server.open();
		try (HikariDataSource pool = database.pool(4);
				JdbcNode one = JdbcNode.lease(pool);
				JdbcNode two = JdbcNode.lease(pool)) {
			Ticket holder = one.hold(this.key);
			Ticket waiter = two.ticket(this.key);
			assertThat(two.attempt(waiter)).isInstanceOf(AttemptResult.Queued.class);
			Ticket next = one.ticket(this.key);
			assertThat(Answers.of(one.store.release(holder, 0, new Successor(next, JdbcNode.LEASE))).next())
				.isInstanceOf(AttemptResult.Queued.class);
			two.take(waiter);
			assertThat(one.attempt(next)).isInstanceOf(AttemptResult.Queued.class);
		}
	}

	private void insert(TestDatabase database, String ending, long fence, long expires) {
		database.direct()
			.update("INSERT INTO distlock_lock (lock_key, owner, fence, expires_at, wanted_at) VALUES (?, '', ?, ?, 0)",
					bytes(this.key + ending), fence, expires);
	}

	private int count(TestDatabase database, String ending) {
		JdbcTemplate jdbc = database.direct();
		Integer count = jdbc.queryForObject("SELECT COUNT(*) FROM distlock_lock WHERE lock_key = ?", Integer.class,
				bytes(this.key + ending));
		return (count != null) ? count : -1;
	}

	static byte[] bytes(String key) {
		return ("distlock:" + key).getBytes(StandardCharsets.UTF_8);
	}

	private static long nowMicros() {
		return TimeSource.SYSTEM.wallMillis() * 1000;
	}

}
