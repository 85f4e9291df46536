package io.github.distlock.backend.jdbc;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.core.RowMapper;
import org.springframework.jdbc.core.RowMapperResultSetExtractor;
import org.springframework.jdbc.support.JdbcUtils;

/**
 * A connection while the store uses it. The network time-out ends a statement that gets
 * no answer; a driver without one gets a query time-out. A connection whose statement has
 * failed for another reason than a refusal is cut off when it is closed, since an answer
 * may still arrive. Only one thread may use a connection at a time; {@link #cancel()} is
 * the exception.
 */
final class LockConnection implements AutoCloseable {

	private static final Log logger = LogFactory.getLog(LockConnection.class);

	private static final int VALIDATION_SECONDS = 1;

	private final LockPool pool;

	private final Connection connection;

	/** Prepares statements: the driver's own one, unless it is not of our pool. */
	private final Connection driver;

	/**
	 * The prepared statements. The next user of the driver's connection finds them again:
	 * preparing costs a round trip in H2.
	 */
	private final Map<String, PreparedStatement> prepared;

	private final boolean autoCommit;

	private final boolean limitsNetwork;

	/** The query time-out, 0 if the network time-out is used. */
	private int querySeconds;

	/** Network time-out to restore, {@code null} if the pool does it. */
	private final @Nullable Integer originalNetworkTimeout;

	/** Isolation level to restore, {@code null} if it was not changed. */
	private @Nullable Integer originalIsolation;

	/** Whether an earlier session was lost while it ran the same command. */
	boolean repeats;

	/** Whether a transaction may be open. */
	private boolean transactionOpen;

	/** Whether the connection must not be used again. */
	private boolean doubtful;

	/**
	 * Reset once: when a statement is cancelled, or before the connection goes back. The
	 * request to cancel may take effect late, on the next statement of the session, so
	 * the connection goes back only if no statement was cancelled.
	 */
	private final AtomicBoolean returnable = new AtomicBoolean(true);

	/** Whether {@link #cancel()} was the one to reset it. */
	private volatile boolean cancelled;

	/** What {@link #cancel()} ends. */
	private volatile @Nullable Statement running;

	LockConnection(LockPool pool, Connection connection, boolean limitsNetwork, Duration limit) throws SQLException {
		this.pool = pool;
		this.connection = connection;
		this.driver = pool.isForeign() ? connection : connection.unwrap(Connection.class);
		this.prepared = pool.isForeign() ? new HashMap<>() : pool.prepared(this.driver);
		this.autoCommit = connection.getAutoCommit();
		this.limitsNetwork = limitsNetwork;
		this.originalNetworkTimeout = (limitsNetwork && pool.isForeign()) ? connection.getNetworkTimeout() : null;
		limit(limit);
	}

	/**
	 * Let the server itself end a statement that waits for a lock, once for each session
	 * of the own pool. A server does not notice then that its client has gone, and the
	 * sessions that clients have left would add up.
	 */
	void limitSession(Duration limit) {
		if (this.prepared.isEmpty() && this.pool.statements().has("limitSession")) {
			Map<String, Object> values = Map.of("millis", Long.toString(limit.toMillis()), "seconds", limit.toSeconds(),
					"session", PostgreSqlListener.session(this.connection));
			run("limitSession", (prepared, text) -> {
				bind(prepared, text, values);
				return prepared.execute();
			});
		}
	}

	/** Set the isolation level {@code READ COMMITTED} until this connection is closed. */
	void readCommitted() throws SQLException {
		int before = this.connection.getTransactionIsolation();
		this.connection.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
		this.originalIsolation = before;
	}

	/** Limit how long a server that does not answer may block the thread. */
	void limit(Duration limit) throws SQLException {
		if (this.limitsNetwork) {
			this.connection.setNetworkTimeout(Runnable::run, (int) Math.max(1, limit.toMillis()));
		}
		else {
			this.querySeconds = (int) Math.max(1, (limit.toMillis() + 999) / 1000);
		}
	}

	/** Begin a transaction that another thread may end. */
	void begin() throws SQLException {
		this.transactionOpen = true;
		if (this.autoCommit) {
			this.connection.setAutoCommit(false);
		}
	}

	/** Commit the open transaction. The next statement starts a new one. */
	void commit() {
		end("commit", this.connection::commit);
	}

	/** Roll back the open transaction. The next statement starts a new one. */
	void rollback() {
		end("rollback", this.connection::rollback);
	}

	private void end(String task, End end) {
		try {
			end.run();
		}
		catch (SQLException ex) {
			this.doubtful = true;
			throw JdbcExceptionTranslator.dataAccessException(task, ex);
		}
	}

	/** Run several statements in one transaction, or in the transaction that is open. */
	<T> T inTransaction(Supplier<T> statements) {
		if (this.transactionOpen) {
			return statements.get();
		}
		try {
			begin();
			T result = statements.get();
			commit();
			if (this.autoCommit) {
				this.connection.setAutoCommit(true);
			}
			this.transactionOpen = false;
			return result;
		}
		catch (SQLException ex) {
			this.doubtful = true;
			throw JdbcExceptionTranslator.dataAccessException("transaction", ex);
		}
	}

	/** Run an update and return the number of changed rows. */
	int update(String statement, Map<String, ?> values) {
		return run(statement, (prepared, text) -> {
			bind(prepared, text, values);
			return prepared.executeUpdate();
		});
	}

	/**
	 * Run an update for each set of values, in one round trip if the driver can. Returns
	 * the number of changed rows of each.
	 */
	int[] batch(String statement, List<? extends Map<String, ?>> values) {
		return run(statement, (prepared, text) -> {
			for (Map<String, ?> each : values) {
				bind(prepared, text, each);
				prepared.addBatch();
			}
			return prepared.executeBatch();
		});
	}

	/** Run a query. */
	<T> List<T> query(String statement, Map<String, ?> values, RowMapper<T> row) {
		return run(statement, (prepared, text) -> {
			bind(prepared, text, values);
			try (ResultSet results = prepared.executeQuery()) {
				return new RowMapperResultSetExtractor<>(row, 1).extractData(results);
			}
		});
	}

	/** With auto-commit, the database itself commits each statement. */
	private <T> T run(String name, Execution<T> execution) {
		boolean single = !this.autoCommit && !this.transactionOpen;
		boolean doubtfulBefore = this.doubtful;
		NamedStatement text = this.pool.statements().named(name);
		// Whatever is thrown, a part of the answer may be unread.
		this.doubtful = true;
		try {
			PreparedStatement prepared = this.prepared.get(name);
			if (prepared == null) {
				prepared = this.driver.prepareStatement(text.sql());
				this.prepared.put(name, prepared);
			}
			if (!this.limitsNetwork && prepared.getQueryTimeout() != this.querySeconds) {
				prepared.setQueryTimeout(this.querySeconds);
			}
			this.running = prepared;
			T result = execution.run(prepared, text);
			if (single) {
				this.connection.commit();
			}
			this.doubtful = doubtfulBefore;
			return result;
		}
		catch (SQLException ex) {
			// Perhaps the table no longer fits it.
			JdbcUtils.closeStatement(this.prepared.remove(name));
			if (JdbcExceptionTranslator.isForgottenStatement(ex)) {
				this.pool.keepNoStatements(ex);
			}
			DataAccessException failure = JdbcExceptionTranslator.dataAccessException(name, ex);
			this.doubtful = doubtfulBefore
					|| !JdbcExceptionTranslator.isRefusal(failure) && !this.pool.dialect().isLockTimeout(failure);
			if (single && !this.doubtful) {
				rollback();
			}
			throw failure;
		}
		finally {
			this.running = null;
		}
	}

	private static void bind(PreparedStatement prepared, NamedStatement text, Map<String, ?> values)
			throws SQLException {
		int index = 0;
		for (String name : text.parameters()) {
			index++;
			Object value = values.get(name);
			if (value instanceof String string) {
				prepared.setString(index, string);
			}
			else if (value instanceof byte[] bytes) {
				prepared.setBytes(index, bytes);
			}
			else if (value instanceof Number number) {
				prepared.setLong(index, number.longValue());
			}
			else {
				throw new IllegalArgumentException(name);
			}
		}
	}

	/**
	 * Cancel the running statement, if there is one. May be called by any thread, and
	 * blocks it if the server does not answer: drivers send the request by a connection
	 * of its own. It may also end a later statement.
	 */
	void cancel() throws SQLException {
		Statement statement = this.running;
		if (statement == null || !(this.cancelled || this.returnable.compareAndSet(true, false))) {
			return;
		}
		this.cancelled = true;
		if (this.pool.dialect() == JdbcDialect.POSTGRESQL && PostgreSqlListener.isSupported()) {
			// The driver cancels a statement only once, perhaps before it has begun.
			PostgreSqlListener.cancel(this.connection);
		}
		else {
			statement.cancel();
		}
	}

	/** Return the object of the driver. */
	<T> T unwrap(Class<T> type) throws SQLException {
		return this.connection.unwrap(type);
	}

	/** Ask the database whether the session of this connection still exists. */
	boolean isAlive() {
		try {
			return this.connection.isValid(VALIDATION_SECONDS);
		}
		catch (SQLException ex) {
			return false;
		}
	}

	/**
	 * Roll back what is open, restore the settings of the connection and return it to the
	 * pool. It is cut off if that fails, or if its statement has. Never fails.
	 */
	@Override
	public void close() {
		boolean returned = false;
		try {
			// First: a row is free for others when this method returns.
			if (this.transactionOpen) {
				this.connection.rollback();
			}
			if (!this.doubtful && this.returnable.compareAndSet(true, false)) {
				if (this.pool.isForeign()) {
					this.prepared.values().forEach(JdbcUtils::closeStatement);
				}
				restore();
				this.connection.close();
				returned = true;
			}
		}
		catch (SQLException | RuntimeException ex) {
			logger.debug("The settings of a connection could not be restored; the connection is cut off", ex);
		}
		finally {
			if (!returned) {
				discard();
			}
		}
	}

	private void restore() throws SQLException {
		if (this.transactionOpen) {
			this.connection.setAutoCommit(this.autoCommit);
		}
		if (this.originalIsolation != null) {
			this.connection.setTransactionIsolation(this.originalIsolation);
		}
		if (this.originalNetworkTimeout != null) {
			this.connection.setNetworkTimeout(Runnable::run, this.originalNetworkTimeout);
		}
	}

	/** Cut the connection off without restoring it. */
	void discard() {
		this.pool.discard(this.connection);
	}

	/** Ends a transaction. */
	private interface End {

		void run() throws SQLException;

	}

	/** Runs a statement whose parameters have not been set yet. */
	private interface Execution<T> {

		T run(PreparedStatement statement, NamedStatement text) throws SQLException;

	}

}
