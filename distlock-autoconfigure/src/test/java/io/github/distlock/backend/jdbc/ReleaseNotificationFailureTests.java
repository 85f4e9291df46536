package io.github.distlock.backend.jdbc;

import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

import javax.sql.DataSource;

import com.zaxxer.hikari.HikariDataSource;
import io.github.distlock.backend.AttemptResult;
import io.github.distlock.backend.Ticket;
import io.github.distlock.backend.TimeSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.postgresql.PGConnection;

import org.springframework.jdbc.datasource.DelegatingDataSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Failures of notifications between JVMs that use PostgreSQL: locks work without them,
 * and nothing is repeated for ever.
 */
class ReleaseNotificationFailureTests {

	private static final Duration SOON = Duration.ofSeconds(15);

	private final TestDatabase database = TestDatabase.postgres();

	private final String key = "failed-" + UUID.randomUUID();

	@ParameterizedTest
	@MethodSource
	void fewConnectionsAreTakenWithADriverThatCannotListen(Supplier<Error> failure) {
		try (HikariDataSource pool = this.database.pool(20); JdbcNode holder = node(pool)) {
			OtherDriver driver = new OtherDriver(pool, failure);
			try (JdbcNode waiter = node(driver)) {
				holder.take(holder.ticket(this.key));
				Ticket waiting = waiter.ticket(this.key);
				await().atMost(SOON).dontCatchUncaughtExceptions().until(() -> {
					assertThat(waiter.attempt(waiting)).isInstanceOf(AttemptResult.Queued.class);
					return ((JdbcLeaseStore) waiter.store).notifications().isPaused();
				});
				assertThat(waiter.attempt(waiting)).isInstanceOf(AttemptResult.Queued.class);
				assertThat(driver.refused).hasValue(3);
			}
		}
	}

	static List<Supplier<Error>> fewConnectionsAreTakenWithADriverThatCannotListen() {
		return List.of(() -> new NoClassDefFoundError("org/postgresql/PGConnection"),
				() -> new InternalError("raised by a test"));
	}

	@Test
	void withoutTheDriverOfPostgreSqlNothingListens() throws ReflectiveOperationException {
		assertThat(PostgreSqlListener.isSupported()).isTrue();
		Class<?> withoutDriver = new WithoutDriver().loadClass(PostgreSqlListener.class.getName());
		assertThat(withoutDriver).isNotSameAs(PostgreSqlListener.class);
		Method isSupported = withoutDriver.getDeclaredMethod("isSupported");
		isSupported.setAccessible(true);
		assertThat(isSupported.invoke(null)).isEqualTo(false);
	}

	private static JdbcNode node(DataSource dataSource) {
		return new JdbcNode(new JdbcLeaseBackend(dataSource,
				new JdbcBackendSettings("distlock:", Duration.ofMillis(1500), Duration.ofSeconds(60), 10, 17, 1, true),
				TimeSource.SYSTEM));
	}

	/** A pool whose driver does not have the interface of pgjdbc. */
	private static final class OtherDriver extends DelegatingDataSource {

		final AtomicInteger refused = new AtomicInteger();

		private final Supplier<Error> failure;

		OtherDriver(HikariDataSource pool, Supplier<Error> failure) {
			super(pool);
			this.failure = failure;
		}

		@Override
		public Connection getConnection() throws SQLException {
			Connection connection = super.getConnection();
			return (Connection) Proxy.newProxyInstance(getClass().getClassLoader(), new Class<?>[] { Connection.class },
					(proxy, method, arguments) -> {
						if (method.getName().equals("unwrap") && arguments[0] == PGConnection.class) {
							this.refused.incrementAndGet();
							throw this.failure.get();
						}
						try {
							return method.invoke(connection, arguments);
						}
						catch (InvocationTargetException ex) {
							throw ex.getCause();
						}
					});
		}

	}

	/** Loads the listener once more, as if the driver were not on the class path. */
	private static final class WithoutDriver extends ClassLoader {

		WithoutDriver() {
			super(PostgreSqlListener.class.getClassLoader());
		}

		@Override
		protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
			if (name.startsWith("org.postgresql.")) {
				throw new ClassNotFoundException(name);
			}
			return name.equals(PostgreSqlListener.class.getName()) ? define(name) : super.loadClass(name, resolve);
		}

		private Class<?> define(String name) throws ClassNotFoundException {
			try (InputStream in = PostgreSqlListener.class.getResourceAsStream("PostgreSqlListener.class")) {
				if (in == null) {
					throw new ClassNotFoundException(name);
				}
				byte[] content = in.readAllBytes();
				return defineClass(name, content, 0, content.length);
			}
			catch (IOException ex) {
				throw new ClassNotFoundException(name, ex);
			}
		}

	}

}
