package io.github.distlock.backend.jdbc;

import java.lang.reflect.Field;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.UUID;

import javax.sql.DataSource;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.github.distlock.LockBackendException;
import io.github.distlock.backend.AttemptResult;
import io.github.distlock.backend.Ticket;
import io.github.distlock.backend.jdbc.LockConnection.PostgreSqlDriver;
import io.github.distlock.contract.Answers;
import org.junit.jupiter.api.Test;
import org.postgresql.PGConnection;
import org.postgresql.PGNotification;

import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.core.OverridingClassLoader;
import org.springframework.jdbc.core.JdbcTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/**
 * Failures of notifications between JVMs that use PostgreSQL: locks work without them,
 * and each repetition ends. A test that changes the database has a schema of its own.
 */
class ReleaseNotificationFailureTests {

	private static final Duration SOON = Duration.ofSeconds(15);

	private final TestDatabase database = TestDatabase.postgres();

	private final String id = UUID.randomUUID().toString();

	private final String key = "failed-" + this.id;

	private final String schema = '"' + this.id + '"';

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
		try (HikariDataSource pool = this.database.pool(20);
				HikariDataSource full = pool(this.schema + ", public, pg_catalog");
				JdbcNode holder = node(full);
				JdbcNode waiter = node(pool);
				Connection listener = ReleaseNotificationTests.listener(pool)) {
			assertThat(releaseWhileAnotherWaits(holder, waiter)).isTrue();
			admin.execute("DROP SCHEMA " + this.schema + " CASCADE");
			assertThat(releaseWhileAnotherWaits(holder, waiter)).isTrue();
			expectNotification(listener, holder);
		}
	}

	@Test
	void aTableThatIsMissingForAMomentDoesNotEndTheNotifications() throws SQLException {
		JdbcTemplate admin = this.database.direct();
		admin.execute("CREATE SCHEMA " + this.schema);
		admin.execute("CREATE TABLE " + this.schema + ".distlock_lock (LIKE public.distlock_lock INCLUDING ALL)");
		try (HikariDataSource pool = pool(this.schema);
				JdbcNode holder = node(pool);
				JdbcNode waiter = node(pool);
				Connection listener = ReleaseNotificationTests.listener(pool)) {
			Ticket ticket = holder.ticket(this.key);
			holder.take(ticket);
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
		Ticket ticket = holder.ticket(this.key);
		holder.take(ticket);
		Ticket waiting = waiter.ticket(this.key);
		assertThat(waiter.attempt(waiting)).isInstanceOf(AttemptResult.Queued.class);
		Answers.of(waiter.store.cancel(waiting));
		return holder.release(ticket);
	}

	private static JdbcNode node(DataSource dataSource) {
		return ReleaseNotificationTests.node(dataSource, true);
	}

	private HikariDataSource pool(String searchPath) {
		HikariConfig settings = this.database.poolSettings(20);
		settings.setConnectionInitSql("SET search_path = " + searchPath);
		return new HikariDataSource(settings);
	}

	/** Check that the holder has notified, before the marker that is sent now. */
	private void expectNotification(Connection listener, JdbcNode holder) throws SQLException {
		this.database.direct().execute("NOTIFY distlock, 'marker " + this.id + "'");
		boolean notified = false;
		while (true) {
			for (PGNotification arrived : listener.unwrap(PGConnection.class).getNotifications(0)) {
				if (arrived.getParameter().equals("marker " + this.id)) {
					assertThat(notified).isTrue();
					return;
				}
				notified |= arrived.getParameter().endsWith(" " + holder.instance());
			}
		}
	}

}
