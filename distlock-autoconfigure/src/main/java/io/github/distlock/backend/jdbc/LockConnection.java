package io.github.distlock.backend.jdbc;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.Supplier;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.jdbc.core.RowMapper;
import org.springframework.jdbc.core.RowMapperResultSetExtractor;
import org.springframework.jdbc.core.namedparam.NamedParameterJdbcOperations;
import org.springframework.jdbc.core.namedparam.SqlParameterSourceUtils;
import org.springframework.jdbc.datasource.ConnectionHolder;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * A connection while the store uses it. Spring's templates run the statements: the
 * connection is bound to the thread for as long as a statement or a transaction runs.
 * <p>
 * This class does what the templates do not. It limits how long a silent network may
 * block a thread, lets another thread cancel a query, and keeps a transaction open after
 * the thread that began it has gone on. {@link #close()} restores the settings of the
 * connection, and cuts it off if they cannot be restored. Only one thread may use a
 * connection at a time; {@link #cancel()} is the exception.
 */
final class LockConnection implements AutoCloseable {

	private static final Log logger = LogFactory.getLog(LockConnection.class);

	/** Shorter than a command waits for a connection. */
	private static final int VALIDATION_SECONDS = 1;

	private final LockDataSource dataSource;

	private final Connection connection;

	private final ConnectionHolder holder;

	private final boolean autoCommit;

	/** Network time-out to restore, {@code null} if it was not changed. */
	private @Nullable Integer originalNetworkTimeout;

	/** Isolation level to restore, {@code null} if it was not changed. */
	private @Nullable Integer originalIsolation;

	/** Whether {@link #begin()} was called. */
	private boolean transactionOpen;

	/** Whether auto-commit may have been switched off. */
	private boolean restoreAutoCommit;

	private final RunningStatement running;

	/** The statements of a reserved connection, {@code null} for other connections. */
	private @Nullable PreparedStatements prepared;

	private LockConnection(LockDataSource dataSource, Connection connection) throws SQLException {
		this.dataSource = dataSource;
		this.connection = connection;
		this.running = new RunningStatement(dataSource.clock());
		this.holder = new ConnectionHolder(connection);
		this.autoCommit = connection.getAutoCommit();
	}

	/** Prepare a connection of the pool. Cuts it off if that fails. */
	static LockConnection take(LockDataSource dataSource, Connection connection) throws SQLException {
		try {
			LockConnection taken = new LockConnection(dataSource, connection);
			taken.limitNetwork((dataSource.timeoutSeconds() + 1) * 1000);
			return taken;
		}
		catch (Throwable ex) {
			ConnectionEnd.discard(connection);
			throw ex;
		}
	}

	/** Set the isolation level {@code READ COMMITTED} until this connection is closed. */
	void readCommitted() throws SQLException {
		if (this.originalIsolation == null) {
			int before = this.connection.getTransactionIsolation();
			this.connection.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
			this.originalIsolation = before;
		}
	}

	/** Return whether the driver limits how long a silent server may block a thread. */
	boolean isNetworkLimited() {
		return this.originalNetworkTimeout != null;
	}

	/** Limit how long a server that does not answer may block a thread. */
	void limitNetwork(int millis) {
		try {
			if (this.originalNetworkTimeout == null) {
				this.originalNetworkTimeout = this.connection.getNetworkTimeout();
			}
			this.connection.setNetworkTimeout(Runnable::run, millis);
		}
		catch (SQLException | AbstractMethodError ex) {
			// The driver does not support it and has its own limits.
			this.originalNetworkTimeout = null;
		}
	}

	/**
	 * Begin a transaction that another thread may end. Spring's transaction managers
	 * cannot do this, since their transactions belong to one thread.
	 */
	void begin() throws SQLException {
		this.restoreAutoCommit = this.autoCommit;
		if (this.autoCommit) {
			this.connection.setAutoCommit(false);
		}
		this.transactionOpen = true;
	}

	/** Commit the open transaction. The next statement starts a new one. */
	void commit() {
		try {
			this.connection.commit();
		}
		catch (SQLException ex) {
			throw JdbcExceptionTranslator.dataAccessException("commit", ex);
		}
	}

	/** Roll back the open transaction. The next statement starts a new one. */
	void rollback() {
		try {
			this.connection.rollback();
		}
		catch (SQLException ex) {
			throw JdbcExceptionTranslator.dataAccessException("rollback", ex);
		}
	}

	/** Roll back a transaction that a statement may have left open. */
	void endTransaction() throws SQLException {
		if (this.transactionOpen || !this.autoCommit) {
			this.connection.rollback();
		}
	}

	/** Return whether the session can be used after a failure: not if it was overdue. */
	boolean isUsableAfter(Throwable failure) {
		if (wasOverdue() || !JdbcExceptionTranslator.isRefusal(failure)) {
			return false;
		}
		try {
			endTransaction();
			return true;
		}
		catch (SQLException ex) {
			return false;
		}
	}

	/** Run several statements in one transaction. */
	<T> T inTransaction(Supplier<T> statements) {
		this.restoreAutoCommit = this.autoCommit;
		return onThisConnection(() -> this.dataSource.transactions().execute((status) -> statements.get()));
	}

	/**
	 * Keep statements prepared from now on. With auto-commit only: otherwise each
	 * statement needs a transaction.
	 */
	void keepStatements() {
		if (this.autoCommit) {
			this.prepared = new PreparedStatements(this.connection, this.dataSource.statements(), this.running);
		}
	}

	/** Run an update and return the number of changed rows. */
	int update(String statement, Map<String, ?> values) {
		if (this.prepared != null && PreparedStatements.keeps(statement)) {
			return this.prepared.update(statement, values);
		}
		return run((jdbc) -> jdbc.update(sql(statement), values));
	}

	/**
	 * Run an update for each set of values, in one round trip if the driver can. Returns
	 * the number of changed rows of each.
	 */
	int[] batch(String statement, List<? extends Map<String, ?>> values) {
		return run((jdbc) -> jdbc.batchUpdate(sql(statement), SqlParameterSourceUtils.createBatch(values)));
	}

	/** Run a query. */
	<T> List<T> query(String statement, Map<String, ?> values, RowMapper<T> row) {
		if (this.prepared != null && PreparedStatements.keeps(statement)) {
			return this.prepared.query(statement, values, row);
		}
		return run((jdbc) -> jdbc.query(sql(statement), values, row));
	}

	/**
	 * Run a query that may wait for a row lock, and that {@link #cancel()} can stop. Only
	 * for use after {@link #begin()}.
	 */
	<T> List<T> queryWithRowLock(String statement, Map<String, ?> values, RowMapper<T> row) {
		RowMapperResultSetExtractor<T> rows = new RowMapperResultSetExtractor<>(row, 1);
		return onThisConnection(() -> this.dataSource.rowLockJdbc().execute(sql(statement), values, (query) -> {
			this.running.begin(query);
			try (ResultSet results = query.executeQuery()) {
				return rows.extractData(results);
			}
			finally {
				this.running.end();
			}
		}));
	}

	private String sql(String statement) {
		return this.dataSource.statements().get(statement);
	}

	/**
	 * Run a statement in the current transaction, or in a transaction of its own. With
	 * auto-commit, the database itself commits each statement, which saves round trips.
	 */
	private <T> T run(Function<NamedParameterJdbcOperations, T> statement) {
		NamedParameterJdbcOperations jdbc = this.dataSource.jdbc();
		return onThisConnection(() -> (this.autoCommit || this.transactionOpen) ? statement.apply(jdbc)
				: this.dataSource.transactions().execute((status) -> statement.apply(jdbc)));
	}

	/** Bind this connection to the thread, so that Spring's templates use it. */
	private <T> T onThisConnection(Supplier<T> action) {
		if (TransactionSynchronizationManager.getResource(this.dataSource) == this.holder) {
			return action.get();
		}
		TransactionSynchronizationManager.bindResource(this.dataSource, this.holder);
		try {
			return action.get();
		}
		finally {
			TransactionSynchronizationManager.unbindResource(this.dataSource);
		}
	}

	/**
	 * Cancel the running query. May be called by any thread. The connection is not
	 * returned to the pool meanwhile, since some drivers cancel whatever the session runs
	 * when the request arrives.
	 */
	void cancel() throws SQLException {
		this.running.cancel();
	}

	/** Cancel a statement that takes longer than a command may. For any thread. */
	void cancelOverdue() {
		this.running.cancelAfter(Duration.ofSeconds(this.dataSource.timeoutSeconds()));
	}

	/** Return whether {@link #cancelOverdue()} has cancelled a statement. */
	boolean wasOverdue() {
		return this.running.isOverdue();
	}

	/** Return the object of the driver. */
	<T> T unwrap(Class<T> type) throws SQLException {
		return this.connection.unwrap(type);
	}

	/** Ask the database whether the session of this connection still exists. */
	boolean isAlive() {
		try {
			boolean valid = this.connection.isValid(VALIDATION_SECONDS);
			if (valid && !this.transactionOpen) {
				endTransaction();
			}
			return valid;
		}
		catch (SQLException ex) {
			return false;
		}
	}

	/**
	 * Roll back, restore the settings of the connection and return it to the pool. If the
	 * settings cannot be restored, the connection is cut off, so that the pool does not
	 * lend it again.
	 */
	@Override
	public void close() {
		boolean restored = false;
		try {
			restore();
			restored = true;
		}
		catch (SQLException | RuntimeException ex) {
			logger.debug("The settings of a connection could not be restored; the connection is cut off", ex);
		}
		finally {
			if (restored) {
				ConnectionEnd.close(this.connection);
			}
			else {
				discard();
			}
		}
	}

	/**
	 * Like {@link #close()}, but never throws: other connections still have to be closed.
	 */
	void closeQuietly() {
		try {
			close();
		}
		catch (Throwable ex) {
			logger.warn("A connection for locks could not be returned to the pool", ex);
		}
	}

	private void restore() throws SQLException {
		endTransaction();
		if (this.prepared != null) {
			this.prepared.close();
		}
		if (this.originalIsolation != null) {
			this.connection.setTransactionIsolation(this.originalIsolation);
		}
		if (this.restoreAutoCommit) {
			this.connection.setAutoCommit(true);
		}
		if (this.originalNetworkTimeout != null) {
			this.connection.setNetworkTimeout(Runnable::run, this.originalNetworkTimeout);
		}
	}

	/** Cut the connection off without restoring it. */
	void discard() {
		ConnectionEnd.discard(this.connection);
	}

}
