package io.github.distlock.backend.jdbc;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import javax.sql.DataSource;

import org.junit.jupiter.api.Test;

import org.springframework.jdbc.BadSqlGrammarException;
import org.springframework.jdbc.datasource.DriverManagerDataSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/**
 * Connections that cannot be prepared or restored.
 */
class LockConnectionTests {

	private static final Duration LIMIT = Duration.ofSeconds(2);

	private final List<String> calls = new ArrayList<>();

	/** The connection fails to set this isolation level. */
	private int failingLevel = -1;

	private boolean failingRollback;

	@Test
	void aConnectionThatCannotBeRestoredIsCutOffBeforeItIsClosed() throws SQLException {
		LockConnection connection = source().open(LIMIT);
		this.failingLevel = Connection.TRANSACTION_SERIALIZABLE;
		connection.close();
		assertThat(this.calls).containsExactly("isolation 2", "isolation 8", "abort", "close");
	}

	@Test
	void aConnectionThatCannotBePreparedIsCutOffBeforeItIsClosed() {
		this.failingLevel = Connection.TRANSACTION_READ_COMMITTED;
		assertThatThrownBy(() -> source().open(LIMIT)).isInstanceOf(SQLException.class);
		assertThat(this.calls).containsExactly("isolation 2", "abort", "close");
	}

	@Test
	void aConnectionWhoseRollbackFailsIsCutOffAndTheFailureOfTheStatementIsReported() throws SQLException {
		LockConnection connection = source().open(LIMIT);
		this.failingRollback = true;
		assertThatThrownBy(
				() -> connection.inTransaction(() -> connection.query("stale", Map.of(), (row, number) -> true)))
			.isInstanceOf(BadSqlGrammarException.class);
		connection.close();
		assertThat(this.calls).containsSubsequence("rollback", "abort", "close");
	}

	private LockPool source() {
		DataSource database = new DriverManagerDataSource("jdbc:h2:mem:", "sa", "");
		return new LockPool(new UnknownPool(database) {

			@Override
			public Connection getConnection() throws SQLException {
				Connection connection = super.getConnection();
				connection.setTransactionIsolation(Connection.TRANSACTION_SERIALIZABLE);
				return observed(connection);
			}

		}, JdbcUnderTest.SETTINGS, 3, 3);
	}

	private Connection observed(Connection connection) {
		return (Connection) Proxy.newProxyInstance(getClass().getClassLoader(), new Class<?>[] { Connection.class },
				(proxy, method, arguments) -> {
					switch (method.getName()) {
						case "setTransactionIsolation":
							this.calls.add("isolation " + arguments[0]);
							if (arguments[0].equals(this.failingLevel)) {
								throw new SQLException("broken");
							}
							break;
						case "rollback":
							this.calls.add("rollback");
							if (this.failingRollback) {
								throw new SQLException("broken");
							}
							break;
						case "abort", "close":
							this.calls.add(method.getName());
							break;
						default:
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
