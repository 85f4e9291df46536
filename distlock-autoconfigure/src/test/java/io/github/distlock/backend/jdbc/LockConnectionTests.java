package io.github.distlock.backend.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import org.springframework.jdbc.BadSqlGrammarException;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.jdbc.datasource.LazyConnectionDataSourceProxy;

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

	@Test
	void noHealthyConnectionIsCutOffForALazyOneThatGetsNone() {
		DriverManagerDataSource database = new DriverManagerDataSource("jdbc:h2:mem:", "sa", "");
		AtomicBoolean full = new AtomicBoolean(true);
		LazyConnectionDataSourceProxy lazy = new LazyConnectionDataSourceProxy();
		lazy.setDefaultAutoCommit(true);
		lazy.setDefaultTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
		lazy.setTargetDataSource(new ObservedPool(new UnknownPool(database) {

			@Override
			public Connection getConnection() throws SQLException {
				if (full.getAndSet(false)) {
					throw new SQLException("all connections are in use");
				}
				return super.getConnection();
			}

		}, this::observe));
		LockPool source = new LockPool(lazy, JdbcUnderTest.SETTINGS, 3, 3, "lease");
		assertThatThrownBy(() -> source.open(LIMIT)).hasMessageContaining("in use");
		assertThat(this.calls).isEmpty();
	}

	private LockPool source() {
		DriverManagerDataSource database = new DriverManagerDataSource("jdbc:h2:mem:", "sa", "");
		return new LockPool(new ObservedPool(new UnknownPool(database) {

			@Override
			public Connection getConnection() throws SQLException {
				Connection connection = super.getConnection();
				connection.setTransactionIsolation(Connection.TRANSACTION_SERIALIZABLE);
				return connection;
			}

		}, this::observe), JdbcUnderTest.SETTINGS, 3, 3, "lease");
	}

	private void observe(Connection connection, String method, @Nullable Object argument) throws SQLException {
		if (method.equals("setTransactionIsolation")) {
			this.calls.add("isolation " + argument);
		}
		else if (List.of("rollback", "abort", "close").contains(method)) {
			this.calls.add(method);
		}
		if ((this.failingRollback && method.equals("rollback"))
				|| (method.equals("setTransactionIsolation") && Integer.valueOf(this.failingLevel).equals(argument))) {
			throw new SQLException("broken");
		}
	}

}
