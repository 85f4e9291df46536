package io.github.distlock.backend.jdbc;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;
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
 * A connection while the store has it. Each statement is a transaction of its own unless
 * one was begun. Closing gives it back as it was. Used by one thread at a time, but for
 * {@link #cancel()}.
 */
final class LockConnection implements AutoCloseable {

	private static final Log logger = LogFactory.getLog(LockConnection.class);

	private static final int VALIDATION_SECONDS = 1;

	private final LockDataSource dataSource;

	private final Connection connection;

	private final ConnectionHolder holder;

	private final boolean autoCommit;

	/** What it had, if that was changed. */
	private @Nullable Integer networkTimeout;

	/** What it had, if that was changed. */
	private @Nullable Integer isolation;

	/** Whether a transaction was begun that does not end with its statement. */
	private boolean inTransaction;

	private boolean restoreAutoCommit;

	private final ReentrantLock cancelling = new ReentrantLock();

	/** Guarded by {@link #cancelling}. */
	private @Nullable Statement running;

	private LockConnection(LockDataSource dataSource, Connection connection) throws SQLException {
		this.dataSource = dataSource;
		this.connection = connection;
		this.holder = new ConnectionHolder(connection);
		this.autoCommit = connection.getAutoCommit();
	}

	/** Take a connection over. If that fails, it is cut off. */
	static LockConnection take(LockDataSource dataSource, Connection connection) throws SQLException {
		try {
			LockConnection taken = new LockConnection(dataSource, connection);
			taken.limitNetwork((dataSource.timeoutSeconds() + 1) * 1000);
			return taken;
		}
		catch (Throwable ex) {
			discard(connection);
			throw ex;
		}
	}

	/** Have each statement see what is committed, until this is closed. */
	void readCommitted() throws SQLException {
		if (this.isolation == null) {
			int before = this.connection.getTransactionIsolation();
			this.connection.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
			this.isolation = before;
		}
	}

	/** A server that is gone without a word must not keep a thread. */
	void limitNetwork(int millis) {
		try {
			if (this.networkTimeout == null) {
				this.networkTimeout = this.connection.getNetworkTimeout();
			}
			this.connection.setNetworkTimeout(Runnable::run, millis);
		}
		catch (SQLException | AbstractMethodError ex) {
			// A driver without it has its own limits.
			this.networkTimeout = null;
		}
	}

	/**
	 * Begin a transaction that another thread may end. Those of Spring belong to a
	 * thread.
	 */
	void begin() throws SQLException {
		this.restoreAutoCommit = this.autoCommit;
		if (this.autoCommit) {
			this.connection.setAutoCommit(false);
		}
		this.inTransaction = true;
	}

	/** Commit the transaction that was begun. The next statement begins another. */
	void commit() {
		try {
			this.connection.commit();
		}
		catch (SQLException ex) {
			throw JdbcExceptionTranslator.dataAccessException("commit", ex);
		}
	}

	/** Roll back the transaction that was begun. The next statement begins another. */
	void rollback() {
		try {
			this.connection.rollback();
		}
		catch (SQLException ex) {
			throw JdbcExceptionTranslator.dataAccessException("rollback", ex);
		}
	}

	/** End what a statement may have begun and left open. */
	void endTransaction() throws SQLException {
		if (this.inTransaction || !this.autoCommit) {
			this.connection.rollback();
		}
	}

	/**
	 * Return whether the connection can be used again after a statement was refused,
	 * which is not the connection's fault.
	 */
	boolean isUsableAfter(Throwable refusal) {
		if (!JdbcExceptionTranslator.isRefusal(refusal)) {
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

	/** Run statements in one transaction of this thread. */
	<T> T inTransaction(Supplier<T> statements) {
		this.restoreAutoCommit = this.autoCommit;
		return onThisConnection(() -> this.dataSource.transactions().execute((status) -> statements.get()));
	}

	/** Change rows. Answers how many. */
	int update(String statement, Map<String, ?> values) {
		return run((jdbc) -> jdbc.update(sql(statement), values));
	}

	/** Change rows, in one trip where the driver can. Answers how many for each. */
	int[] batch(String statement, List<? extends Map<String, ?>> values) {
		return run((jdbc) -> jdbc.batchUpdate(sql(statement), SqlParameterSourceUtils.createBatch(values)));
	}

	/** Ask for rows. */
	<T> List<T> query(String statement, Map<String, ?> values, RowMapper<T> row) {
		return run((jdbc) -> jdbc.query(sql(statement), values, row));
	}

	/** Ask for a row that may have to be waited for, until {@link #cancel()}. */
	<T> List<T> await(String statement, Map<String, ?> values, RowMapper<T> row) {
		RowMapperResultSetExtractor<T> rows = new RowMapperResultSetExtractor<>(row, 1);
		return onThisConnection(() -> this.dataSource.waitingJdbc().execute(sql(statement), values, (query) -> {
			runs(query);
			try (ResultSet results = query.executeQuery()) {
				return rows.extractData(results);
			}
			finally {
				runs(null);
			}
		}));
	}

	private String sql(String statement) {
		return this.dataSource.statements().get(statement);
	}

	/**
	 * Run a statement: in the transaction that was begun, or in one of its own. With
	 * auto-commit the database does the latter, which saves round trips.
	 */
	private <T> T run(Function<NamedParameterJdbcOperations, T> statement) {
		NamedParameterJdbcOperations jdbc = this.dataSource.jdbc();
		return onThisConnection(() -> (this.autoCommit || this.inTransaction) ? statement.apply(jdbc)
				: this.dataSource.transactions().execute((status) -> statement.apply(jdbc)));
	}

	/** Have the templates of Spring use this connection while an action runs. */
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

	private void runs(@Nullable Statement statement) {
		this.cancelling.lock();
		try {
			this.running = statement;
		}
		finally {
			this.cancelling.unlock();
		}
	}

	/**
	 * Stop the query that runs, from another thread. While that is on its way the
	 * connection is not given back: some drivers stop whatever its session runs then.
	 */
	void cancel() throws SQLException {
		this.cancelling.lock();
		try {
			Statement statement = this.running;
			if (statement != null) {
				statement.cancel();
			}
		}
		finally {
			this.cancelling.unlock();
		}
	}

	/** Validate it, in less time than a command has to get a connection. */
	boolean isAlive() {
		try {
			boolean valid = this.connection.isValid(VALIDATION_SECONDS);
			if (valid && !this.inTransaction) {
				endTransaction();
			}
			return valid;
		}
		catch (SQLException ex) {
			return false;
		}
	}

	/**
	 * Give it back as it was. What is not committed is lost. If it cannot be restored, it
	 * is cut off instead, so that its pool gives it to no other borrower.
	 */
	@Override
	public void close() {
		boolean restored = false;
		try {
			restore();
			restored = true;
		}
		catch (SQLException | RuntimeException ex) {
			logger.debug("A connection could not be restored, and is cut off", ex);
		}
		finally {
			if (restored) {
				close(this.connection);
			}
			else {
				discard();
			}
		}
	}

	private void restore() throws SQLException {
		endTransaction();
		if (this.isolation != null) {
			this.connection.setTransactionIsolation(this.isolation);
		}
		if (this.restoreAutoCommit) {
			this.connection.setAutoCommit(true);
		}
		if (this.networkTimeout != null) {
			this.connection.setNetworkTimeout(Runnable::run, this.networkTimeout);
		}
	}

	/** Cut it off: nobody may go on with it. */
	void discard() {
		discard(this.connection);
	}

	/** Cut a connection off, then close it, so that its pool drops it. */
	static void discard(Connection connection) {
		try {
			connection.abort(Runnable::run);
			// Some pools learn from a call that fails that the connection is broken, and
			// not from the close of a connection that was aborted.
			connection.getAutoCommit();
		}
		catch (SQLException | RuntimeException | AbstractMethodError ex) {
			logger.debug("A connection could not be cut off: it was broken already, or its driver cannot", ex);
		}
		close(connection);
	}

	/** Give a connection back that was not changed. */
	static void close(Connection connection) {
		try {
			connection.close();
		}
		catch (SQLException | RuntimeException ex) {
			logger.debug("A connection could not be closed: it was broken already", ex);
		}
	}

}
