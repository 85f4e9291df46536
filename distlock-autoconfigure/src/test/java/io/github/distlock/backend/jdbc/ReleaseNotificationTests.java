package io.github.distlock.backend.jdbc;

import java.lang.reflect.Field;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

import javax.sql.DataSource;

import com.zaxxer.hikari.HikariDataSource;
import io.github.distlock.LockBackendException;
import io.github.distlock.backend.AttemptResult;
import io.github.distlock.backend.LockStore.Successor;
import io.github.distlock.backend.Ticket;
import io.github.distlock.backend.TimeSource;
import io.github.distlock.backend.jdbc.JdbcBackendSettings.TableNames;
import io.github.distlock.backend.jdbc.LockConnection.PostgreSqlDriver;
import io.github.distlock.contract.Answers;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.postgresql.PGConnection;
import org.postgresql.PGNotification;

import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.core.OverridingClassLoader;
import org.springframework.jdbc.core.JdbcTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

/**
 * Notifications of releases between JVMs that use PostgreSQL. The poll interval is longer
 * than a test. Locks also work without them. A test that changes the database has a
 * schema of its own.
 */
class ReleaseNotificationTests {

	private static final Duration SOON = Duration.ofSeconds(30);

	@AutoClose
	private final JdbcNodes nodes = new JdbcNodes();

	private final TestDatabase database = TestDatabase.postgres();

	private final String id = UUID.randomUUID().toString();

	private final String key = "notified-" + this.id;

	private final String schema = '"' + this.id + '"';

	@Test
	void aReleaseWakesAWaitingTicketOfAnotherJvmButNoneOfItsOwn() {
		HikariDataSource pool = this.nodes.closing(this.database.pool(20));
		JdbcNode holder = this.nodes.closing(node(pool, true));
		JdbcNode waiter = this.nodes.closing(node(pool, true));
		Ticket held = holder.hold(this.key);
		Ticket waiting = waiter.ticket(this.key);
		Ticket next = holder.ticket(this.key);
		await().atMost(SOON).until(() -> isListening(waiter, waiting) && isListening(holder, next));
		holder.retried.clear();
		assertThat(waiter.retried).isEmpty();
		assertThat(Answers.of(holder.store.release(held, 0, new Successor(next, JdbcNode.LEASE))).released()).isTrue();
		await().atMost(SOON).until(() -> waiter.retried.contains(waiting));
		waiter.take(waiting);
		assertThat(holder.attempt(next)).isInstanceOf(AttemptResult.Queued.class);
		assertThat(holder.retried).isEmpty();
		// Now the other JVM has released. Notifications arrive in their order.
		assertThat(waiter.release(waiting)).isTrue();
		await().atMost(SOON).until(() -> holder.retried.size() == 1);
		holder.take(next);
	}

	@Test
	void aReleaseNotifiesOnlyIfAnotherTicketHasFailedToGetTheLockSinceTheGrant() throws SQLException {
		HikariDataSource pool = this.nodes.closing(this.database.pool(20));
		JdbcNode holder = this.nodes.closing(node(pool, true));
		JdbcNode waiter = this.nodes.closing(node(pool, true));
		Connection listener = this.nodes.closing(listener(pool));
		Ticket ticket = holder.hold(this.key);
		assertThat(waiter.attemptOnce(this.key)).isInstanceOf(AttemptResult.Busy.class);
		assertThat(holder.release(ticket)).isTrue();
		expectNothing(listener);
		ticket = holder.hold(this.key);
		Ticket waiting = waiter.ticket(this.key);
		assertThat(waiter.attempt(waiting)).isInstanceOf(AttemptResult.Queued.class);
		assertThat(holder.release(ticket)).isTrue();
		assertThat(next(listener)).endsWith(" " + holder.instance());
		waiter.take(waiting);
		assertThat(waiter.release(waiting)).isTrue();
		expectNothing(listener);
	}

	@Test
	void withoutThePropertyNothingIsSentAndNothingListens() throws SQLException {
		HikariDataSource pool = this.nodes.closing(this.database.pool(20));
		JdbcNode holder = this.nodes.closing(node(pool, false));
		JdbcNode waiter = this.nodes.closing(node(pool, false));
		Connection listener = this.nodes.closing(listener(pool));
		Ticket ticket = holder.hold(this.key);
		assertThat(isListening(waiter, waiter.ticket(this.key))).isFalse();
		assertThat(holder.release(ticket)).isTrue();
		expectNothing(listener);
	}

	@Test
	void aReleaseSucceedsIfTheDatabaseRefusesNotifications() {
		List.of("CREATE ROLE plain LOGIN", "GRANT SELECT, INSERT, UPDATE, DELETE ON distlock_lock TO plain",
				"REVOKE EXECUTE ON FUNCTION pg_notify(text, text) FROM PUBLIC")
			.forEach(this.database.direct()::execute);
		try (HikariDataSource pool = new TestDatabase("postgresql", this.database.url().replace("user=postgres", ""),
				"plain")
			.pool(20); JdbcNode node = node(pool, true)) {
			Ticket ticket = node.hold(this.key);
			assertThat(node.release(ticket)).isTrue();
			node.take(node.ticket(this.key));
		}
		finally {
			this.database.direct().execute("GRANT EXECUTE ON FUNCTION pg_notify(text, text) TO PUBLIC");
		}
	}

	@Test
	void aListeningConnectionThatBreaksIsReplaced() {
		HikariDataSource pool = this.nodes.closing(this.database.pool(20));
		JdbcNode holder = this.nodes.closing(node(pool, true));
		JdbcNode waiter = this.nodes.closing(node(pool, true));
		Ticket held = holder.hold(this.key);
		Ticket waiting = waiter.ticket(this.key);
		await().atMost(SOON).until(() -> isListening(waiter, waiting));
		this.database.direct()
			.queryForList("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query = 'LISTEN distlock'");
		await().atMost(SOON).until(() -> !((JdbcLeaseStore) waiter.store).notifications.isListening());
		await().atMost(SOON).until(() -> isListening(waiter, waiting));
		assertThat(holder.release(held)).isTrue();
		await().atMost(SOON).until(() -> waiter.retried.contains(waiting));
	}

	private static JdbcNode node(DataSource dataSource, boolean notifications) {
		return new JdbcNode(JdbcBackend.lease(dataSource, new JdbcBackendSettings("distlock:", JdbcNode.COMMAND,
				Duration.ofSeconds(60), 17, 3, 10, notifications, TableNames.DEFAULT, ""), TimeSource.SYSTEM));
	}

	/** Let the ticket wait. Returns whether its JVM listens now. */
	private static boolean isListening(JdbcNode node, Ticket ticket) {
		assertThat(node.attempt(ticket)).isInstanceOf(AttemptResult.Queued.class);
		return ((JdbcLeaseStore) node.store).notifications.isListening();
	}

	private static Connection listener(DataSource pool) throws SQLException {
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

	@Test
	void withoutTheDriverOfPostgreSqlNothingListens() throws ReflectiveOperationException {
		assertThat(PostgreSqlDriver.PRESENT).isTrue();
		ClassLoader loader = new OverridingClassLoader(new FilteredClassLoader("org.postgresql")) {

			@Override
			protected boolean isEligibleForOverriding(String name) {
				return name.equals(PostgreSqlDriver.class.getName());
			}

		};
		Class<?> withoutDriver = loader.loadClass(PostgreSqlDriver.class.getName());
		assertThat(withoutDriver).isNotSameAs(PostgreSqlDriver.class);
		Field present = withoutDriver.getDeclaredField("PRESENT");
		present.setAccessible(true);
		assertThat(present.get(null)).isEqualTo(false);
	}

	@Test
	void aReleaseSucceedsWhileTheQueueOfNotificationsIsFullAndNotifiesLater() throws SQLException {
		JdbcTemplate admin = this.database.direct();
		admin.execute("CREATE SCHEMA " + this.schema);
		admin.execute("CREATE FUNCTION " + this.schema + ".pg_notify(text, text) RETURNS void LANGUAGE plpgsql AS"
				+ " $$ BEGIN RAISE 'too many notifications in the NOTIFY queue' USING ERRCODE = '54000'; END $$");
		HikariDataSource pool = this.nodes.closing(this.database.pool(20));
		HikariDataSource full = this.nodes.closing(pool(this.schema + ", public, pg_catalog"));
		JdbcNode holder = this.nodes.closing(node(full, true));
		JdbcNode waiter = this.nodes.closing(node(pool, true));
		Connection listener = this.nodes.closing(listener(pool));
		assertThat(releaseWhileAnotherWaits(holder, waiter)).isTrue();
		admin.execute("DROP SCHEMA " + this.schema + " CASCADE");
		assertThat(releaseWhileAnotherWaits(holder, waiter)).isTrue();
		expectNotification(listener, holder);
	}

	@Test
	void aTableThatIsMissingForAMomentDoesNotEndTheNotifications() throws SQLException {
		JdbcTemplate admin = this.database.direct();
		admin.execute("CREATE SCHEMA " + this.schema);
		admin.execute("CREATE TABLE " + this.schema + ".distlock_lock (LIKE public.distlock_lock INCLUDING ALL)");
		try (HikariDataSource pool = pool(this.schema);
				JdbcNode holder = node(pool, true);
				JdbcNode waiter = node(pool, true);
				Connection listener = listener(pool)) {
			Ticket ticket = holder.hold(this.key);
			admin.execute("ALTER TABLE " + this.schema + ".distlock_lock RENAME TO distlock_lock_old");
			assertThatThrownBy(() -> holder.release(ticket)).isInstanceOf(LockBackendException.class)
				.hasMessageContaining("distlock_lock is missing");
			admin.execute("ALTER TABLE " + this.schema + ".distlock_lock_old RENAME TO distlock_lock");
			assertThat(holder.release(ticket)).isTrue();
			assertThat(releaseWhileAnotherWaits(holder, waiter)).isTrue();
			expectNotification(listener, holder);
		}
		finally {
			admin.execute("DROP SCHEMA " + this.schema + " CASCADE");
		}
	}

	private boolean releaseWhileAnotherWaits(JdbcNode holder, JdbcNode waiter) {
		Ticket ticket = holder.hold(this.key);
		Ticket waiting = waiter.ticket(this.key);
		assertThat(waiter.attempt(waiting)).isInstanceOf(AttemptResult.Queued.class);
		Answers.of(waiter.store.cancel(waiting));
		return holder.release(ticket);
	}

	private HikariDataSource pool(String searchPath) {
		return this.database.pool(20, (settings) -> settings.setConnectionInitSql("SET search_path = " + searchPath));
	}

	/** Check that the holder has notified, before the marker that is sent now. */
	private void expectNotification(Connection listener, JdbcNode holder) throws SQLException {
		this.database.direct().execute("NOTIFY distlock, 'marker " + this.id + "'");
		List<String> arrived = new ArrayList<>();
		while (!arrived.contains("marker " + this.id)) {
			for (PGNotification each : listener.unwrap(PGConnection.class).getNotifications(0)) {
				arrived.add(each.getParameter());
			}
		}
		assertThat(arrived.subList(0, arrived.indexOf("marker " + this.id)))
			.anyMatch((text) -> text.endsWith(" " + holder.instance()));
	}

}
