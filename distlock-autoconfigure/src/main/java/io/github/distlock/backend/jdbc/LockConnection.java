package io.github.distlock.backend.jdbc;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * A connection while the store has it. Each statement is a transaction of its own unless
 * one was begun. Closing gives it back as it was. Used by one thread at a time, but for
 * {@link #cancel()}.
 */
final class LockConnection implements AutoCloseable {

	private static final Log logger = LogFactory.getLog(LockConnection.class);

	private static final int VALIDATION_SECONDS = 1;

	private final Connection connection;

	private final int timeoutSeconds;

	private final boolean autoCommit;

	/** What it had, if that was changed. */
	private @Nullable Integer networkTimeout;

	/** What it had, if that was changed. */
	private @Nullable Integer isolation;

	private boolean inTransaction;

	private final ReentrantLock cancelling = new ReentrantLock();

	/** Guarded by {@link #cancelling}. */
	private @Nullable Statement running;

	private LockConnection(Connection connection, long timeoutMillis) throws SQLException {
		this.connection = connection;
		this.timeoutSeconds = (int) Math.max(1, (timeoutMillis + 999) / 1000);
		this.autoCommit = connection.getAutoCommit();
	}

	/** Take a connection over. If that fails, it is cut off. */
	static LockConnection take(Connection connection, long timeoutMillis) throws SQLException {
		try {
			LockConnection taken = new LockConnection(connection, timeoutMillis);
			taken.limitNetwork((taken.timeoutSeconds + 1) * 1000);
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

	void begin() throws SQLException {
		if (this.autoCommit) {
			this.connection.setAutoCommit(false);
		}
		this.inTransaction = true;
	}

	void commit() throws SQLException {
		this.connection.commit();
	}

	void rollback() throws SQLException {
		this.connection.rollback();
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
	boolean isUsableAfter(SQLException refusal) {
		if (!JdbcDialect.isRefusal(refusal)) {
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

	/** Change rows. Answers how many. */
	int update(SqlStatement sql, Map<String, ?> values) throws SQLException {
		try (PreparedStatement statement = prepare(sql, values, this.timeoutSeconds)) {
			int count = statement.executeUpdate();
			commitStatement();
			return count;
		}
	}

	/** Do something that has no rows. */
	void execute(SqlStatement sql) throws SQLException {
		try (PreparedStatement statement = prepare(sql, Map.of(), this.timeoutSeconds)) {
			statement.execute();
		}
	}

	/** Change rows, in one trip where the driver can. Answers how many for each. */
	int[] batch(SqlStatement sql, List<? extends Map<String, ?>> values) throws SQLException {
		try (PreparedStatement statement = this.connection.prepareStatement(sql.text())) {
			statement.setQueryTimeout(this.timeoutSeconds);
			for (Map<String, ?> each : values) {
				bind(statement, sql, each);
				statement.addBatch();
			}
			int[] changed = statement.executeBatch();
			commitStatement();
			return changed;
		}
	}

	/** Ask for rows. */
	<T> List<T> query(SqlStatement sql, Map<String, ?> values, RowReader<T> row) throws SQLException {
		return query(sql, values, this.timeoutSeconds, row);
	}

	/** Ask for rows, with a time-out of its own. */
	<T> List<T> query(SqlStatement sql, Map<String, ?> values, int seconds, RowReader<T> row) throws SQLException {
		try (PreparedStatement statement = prepare(sql, values, seconds)) {
			runs(statement);
			List<T> rows = new ArrayList<>(1);
			try (ResultSet results = statement.executeQuery()) {
				while (results.next()) {
					rows.add(row.read(results));
				}
			}
			commitStatement();
			return rows;
		}
		finally {
			runs(null);
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

	/** A connection that commits by order only commits here, too. */
	private void commitStatement() throws SQLException {
		if (!this.inTransaction && !this.autoCommit) {
			this.connection.commit();
		}
	}

	private PreparedStatement prepare(SqlStatement sql, Map<String, ?> values, int seconds) throws SQLException {
		PreparedStatement statement = this.connection.prepareStatement(sql.text());
		try {
			statement.setQueryTimeout(seconds);
			bind(statement, sql, values);
			return statement;
		}
		catch (SQLException | RuntimeException ex) {
			statement.close();
			throw ex;
		}
	}

	private static void bind(PreparedStatement statement, SqlStatement sql, Map<String, ?> values) throws SQLException {
		for (int i = 0; i < sql.parameters().size(); i++) {
			Object value = values.get(sql.parameters().get(i));
			if (value instanceof byte[] bytes) {
				statement.setBytes(i + 1, bytes);
			}
			else if (value instanceof Number number) {
				statement.setLong(i + 1, number.longValue());
			}
			else {
				statement.setString(i + 1, (String) value);
			}
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
		if (this.inTransaction && this.autoCommit) {
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

	/**
	 * Makes something of a row.
	 */
	interface RowReader<T> {

		T read(ResultSet results) throws SQLException;

	}

}
