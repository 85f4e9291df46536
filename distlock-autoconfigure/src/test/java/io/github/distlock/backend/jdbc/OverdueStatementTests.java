package io.github.distlock.backend.jdbc;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;

import com.zaxxer.hikari.HikariDataSource;
import io.github.distlock.LockBackendException;
import io.github.distlock.backend.AttemptResult;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.jdbc.datasource.DelegatingDataSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

/**
 * Statements that take too long and fail with an error that otherwise leaves the
 * connection usable. Their cancellation may still arrive.
 */
class OverdueStatementTests {

	private static final Duration SOON = Duration.ofSeconds(15);

	@ParameterizedTest
	@ValueSource(strings = { "40P01", "42501" })
	void aConnectionWhoseStatementWasCancelledIsReplacedWhateverTheErrorIs(String state) {
		try (HikariDataSource hikari = TestDatabase.postgres().pool(10)) {
			SlowAttempts slow = new SlowAttempts(hikari, state);
			ObservedPool pool = new ObservedPool(slow, 10, 0);
			try (JdbcNode node = JdbcNode.lease(pool)) {
				Set<Connection> before = Set.copyOf(pool.used);
				assertThatThrownBy(() -> node.attemptOnce("slow-" + UUID.randomUUID()))
					.isInstanceOf(LockBackendException.class);
				await().atMost(SOON).until(() -> pool.opened.get() > before.size());
				assertThat(slow.executions).hasValue(1);
				assertThat(before).anyMatch((connection) -> !pool.used.contains(connection));
				assertThat(node.attemptOnce("next-" + UUID.randomUUID())).isInstanceOf(AttemptResult.Granted.class);
			}
		}
	}

	/** A pool whose first attempt ends only when it is cancelled. */
	private static final class SlowAttempts extends DelegatingDataSource {

		final AtomicInteger executions = new AtomicInteger();

		private final CountDownLatch cancelled = new CountDownLatch(1);

		private final String state;

		SlowAttempts(HikariDataSource pool, String state) {
			super(pool);
			this.state = state;
		}

		@Override
		public Connection getConnection() throws SQLException {
			Connection connection = super.getConnection();
			return proxy(Connection.class, (method, arguments) -> {
				Object result = method.invoke(connection, arguments);
				return (method.getName().equals("prepareStatement") && ((String) arguments[0]).startsWith("WITH held"))
						? slow((PreparedStatement) result) : result;
			});
		}

		private PreparedStatement slow(PreparedStatement statement) {
			return proxy(PreparedStatement.class, (method, arguments) -> {
				if (method.getName().equals("cancel")) {
					this.cancelled.countDown();
				}
				else if (method.getName().equals("executeQuery") && this.executions.incrementAndGet() == 1) {
					this.cancelled.await();
					throw new SQLException("failed when it was cancelled", this.state);
				}
				return method.invoke(statement, arguments);
			});
		}

		private static <T> T proxy(Class<T> type, Call call) {
			return type.cast(Proxy.newProxyInstance(OverdueStatementTests.class.getClassLoader(),
					new Class<?>[] { type }, (self, method, arguments) -> {
						try {
							return call.call(method, arguments);
						}
						catch (InvocationTargetException ex) {
							throw ex.getCause();
						}
					}));
		}

		/** Runs a method of a proxy. */
		private interface Call {

			@Nullable Object call(Method method, Object[] arguments) throws Exception;

		}

	}

}
