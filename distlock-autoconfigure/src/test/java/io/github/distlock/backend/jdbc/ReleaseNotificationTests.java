package io.github.distlock.backend.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.UUID;

import javax.sql.DataSource;

import com.zaxxer.hikari.HikariDataSource;
import io.github.distlock.backend.AttemptResult;
import io.github.distlock.backend.LockStore.Successor;
import io.github.distlock.backend.Ticket;
import io.github.distlock.backend.TimeSource;
import io.github.distlock.backend.jdbc.JdbcBackendSettings.TableNames;
import io.github.distlock.contract.Answers;
import org.junit.jupiter.api.Test;
import org.postgresql.PGConnection;
import org.postgresql.PGNotification;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Notifications of releases between JVMs that use PostgreSQL. The poll interval is longer
 * than a test.
 */
class ReleaseNotificationTests {

	private static final Duration SOON = Duration.ofSeconds(30);

	private final TestDatabase database = TestDatabase.postgres();

	private final String key = "notified-" + UUID.randomUUID();

	@Test
	void aReleaseWakesAWaitingTicketOfAnotherJvmButNoneOfItsOwn() {
		try (HikariDataSource pool = this.database.pool(20);
				JdbcNode holder = node(pool, true);
				JdbcNode waiter = node(pool, true)) {
			Ticket held = holder.ticket(this.key);
			holder.take(held);
			Ticket waiting = waiter.ticket(this.key);
			Ticket next = holder.ticket(this.key);
			await().atMost(SOON).until(() -> isListening(waiter, waiting) && isListening(holder, next));
			holder.retried.clear();
			assertThat(waiter.retried).isEmpty();
			assertThat(Answers.of(holder.store.release(held, 0, new Successor(next, JdbcNode.LEASE))).released())
				.isTrue();
			await().atMost(SOON).until(() -> waiter.retried.contains(waiting));
			waiter.take(waiting);
			assertThat(holder.attempt(next)).isInstanceOf(AttemptResult.Queued.class);
			assertThat(holder.retried).isEmpty();
			// Now the other JVM has released. Notifications arrive in their order.
			assertThat(waiter.release(waiting)).isTrue();
			await().atMost(SOON).until(() -> holder.retried.size() == 1);
			holder.take(next);
		}
	}

	@Test
	void aReleaseNotifiesOnlyIfAnotherTicketHasFailedToGetTheLockSinceTheGrant() throws SQLException {
		try (HikariDataSource pool = this.database.pool(20);
				JdbcNode holder = node(pool, true);
				JdbcNode waiter = node(pool, true);
				Connection listener = listener(pool)) {
			Ticket ticket = holder.ticket(this.key);
			holder.take(ticket);
			assertThat(waiter.attemptOnce(this.key)).isInstanceOf(AttemptResult.Busy.class);
			assertThat(holder.release(ticket)).isTrue();
			expectNothing(listener);
			ticket = holder.ticket(this.key);
			holder.take(ticket);
			Ticket waiting = waiter.ticket(this.key);
			assertThat(waiter.attempt(waiting)).isInstanceOf(AttemptResult.Queued.class);
			assertThat(holder.release(ticket)).isTrue();
			assertThat(next(listener)).endsWith(" " + holder.instance());
			waiter.take(waiting);
			assertThat(waiter.release(waiting)).isTrue();
			expectNothing(listener);
		}
	}

	@Test
	void withoutThePropertyNothingIsSentAndNothingListens() throws SQLException {
		try (HikariDataSource pool = this.database.pool(20);
				JdbcNode holder = node(pool, false);
				JdbcNode waiter = node(pool, false);
				Connection listener = listener(pool)) {
			Ticket ticket = holder.ticket(this.key);
			holder.take(ticket);
			assertThat(isListening(waiter, waiter.ticket(this.key))).isFalse();
			assertThat(holder.release(ticket)).isTrue();
			expectNothing(listener);
		}
	}

	@Test
	void aReleaseSucceedsIfTheDatabaseRefusesNotifications() {
		List.of("CREATE ROLE plain LOGIN", "GRANT SELECT, INSERT, UPDATE, DELETE ON distlock_lock TO plain",
				"REVOKE EXECUTE ON FUNCTION pg_notify(text, text) FROM PUBLIC")
			.forEach(this.database.direct()::execute);
		try (HikariDataSource pool = new TestDatabase("postgresql", this.database.url().replace("user=postgres", ""),
				"plain")
			.pool(20); JdbcNode node = node(pool, true)) {
			Ticket ticket = node.ticket(this.key);
			node.take(ticket);
			assertThat(node.release(ticket)).isTrue();
			node.take(node.ticket(this.key));
		}
		finally {
			this.database.direct().execute("GRANT EXECUTE ON FUNCTION pg_notify(text, text) TO PUBLIC");
		}
	}

	@Test
	void aListeningConnectionThatBreaksIsReplaced() {
		try (HikariDataSource pool = this.database.pool(20);
				JdbcNode holder = node(pool, true);
				JdbcNode waiter = node(pool, true)) {
			Ticket held = holder.ticket(this.key);
			holder.take(held);
			Ticket waiting = waiter.ticket(this.key);
			await().atMost(SOON).until(() -> isListening(waiter, waiting));
			this.database.direct()
				.queryForList("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query = 'LISTEN distlock'");
			await().atMost(SOON).until(() -> !((JdbcLeaseStore) waiter.store).notifications.isListening());
			await().atMost(SOON).until(() -> isListening(waiter, waiting));
			assertThat(holder.release(held)).isTrue();
			await().atMost(SOON).until(() -> waiter.retried.contains(waiting));
		}
	}

	static JdbcNode node(DataSource dataSource, boolean notifications) {
		return new JdbcNode(JdbcBackend.lease(dataSource, new JdbcBackendSettings("distlock:", Duration.ofMillis(1500),
				Duration.ofSeconds(60), 17, 3, 10, notifications, TableNames.DEFAULT), TimeSource.SYSTEM));
	}

	/** Let the ticket wait. Returns whether its JVM listens now. */
	private static boolean isListening(JdbcNode node, Ticket ticket) {
		assertThat(node.attempt(ticket)).isInstanceOf(AttemptResult.Queued.class);
		return ((JdbcLeaseStore) node.store).notifications.isListening();
	}

	static Connection listener(DataSource pool) throws SQLException {
		Connection connection = pool.getConnection();
		try (Statement statement = connection.createStatement()) {
			statement.execute("LISTEN distlock");
		}
		return connection;
	}

	/** Check that what is sent now is the next notification. */
	private void expectNothing(Connection listener) throws SQLException {
		this.database.direct().execute("NOTIFY distlock, 'marker'");
		assertThat(next(listener)).isEqualTo("marker");
	}

	private static String next(Connection listener) throws SQLException {
		while (true) {
			for (PGNotification arrived : listener.unwrap(PGConnection.class).getNotifications(0)) {
				return arrived.getParameter();
			}
		}
	}

}
