package io.github.distlock.backend.jdbc;

import java.sql.Statement;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicBoolean;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.github.distlock.backend.AttemptResult;
import io.github.distlock.backend.Ticket;
import io.github.distlock.installed.Installed;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The effects of statements on the database and its sessions.
 */
@Tag(Installed.TAG)
class LeaseStatementTests {

	private final String key = "statement-" + UUID.randomUUID();

	@Test
	void aBusyAttemptWritesNothingInPostgreSql() {
		TestDatabase database = TestDatabase.postgres();
		try (HikariDataSource pool = database.pool(4); JdbcNode node = JdbcNode.lease(pool)) {
			Ticket holder = node.ticket(this.key);
			node.take(holder);
			Map<String, Object> before = version(database);
			for (int i = 0; i < 10; i++) {
				assertThat(node.attemptOnce(this.key)).isInstanceOf(AttemptResult.Busy.class);
			}
			assertThat(version(database)).isEqualTo(before);
			// A repeated attempt has the result of the first one.
			node.take(holder);
			assertThat(version(database)).isEqualTo(before);
			assertThat(node.release(holder)).isTrue();
		}
	}

	/** Changes with each write and with each lock of the row. */
	private Map<String, Object> version(TestDatabase database) {
		return database.direct()
			.queryForMap("SELECT ctid::text, xmin::text, xmax::text FROM distlock_lock WHERE lock_key = ?",
					LeaseModeTests.bytes(this.key));
	}

	@Test
	void aStatementThatCollidedIsRepeatedInANewTransaction() {
		HikariConfig settings = TestDatabase.postgres().poolSettings(10);
		settings.setAutoCommit(false);
		try (HikariDataSource hikari = new HikariDataSource(settings)) {
			AtomicBoolean collision = new AtomicBoolean();
			ObservedPool pool = new ObservedPool(hikari, (connection, method, argument) -> {
				if (method.equals("prepareStatement") && collision.compareAndSet(true, false)) {
					// As if another session had just inserted the key.
					try (Statement statement = connection.createStatement()) {
						statement.execute("INSERT INTO distlock_lock SELECT * FROM distlock_lock");
					}
				}
			});
			try (JdbcNode node = JdbcNode.lease(pool)) {
				Ticket ticket = node.ticket(this.key);
				node.take(ticket);
				collision.set(true);
				assertThat(node.release(ticket)).isTrue();
				assertThat(collision).isFalse();
			}
		}
	}

}
