package io.github.distlock.backend.jdbc;

import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Objects;

import javax.sql.DataSource;

import io.github.distlock.LockBackendException;
import io.github.distlock.backend.TimeSource;
import org.jspecify.annotations.Nullable;

import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.core.namedparam.NamedParameterJdbcTemplate;
import org.springframework.jdbc.datasource.DelegatingDataSource;
import org.springframework.jdbc.datasource.JdbcTransactionObjectSupport;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.support.DefaultTransactionStatus;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * The data source of the application as the lock store uses it, and Spring's templates
 * for it. Connections are taken on threads of the store, which take part in no
 * transaction. A lock command therefore never runs in the transaction of a caller,
 * whatever proxies the application has put around its pool.
 */
final class LockDataSource extends DelegatingDataSource {

	/**
	 * How long a statement waits for a row lock at most; the SQL files repeat the value.
	 */
	static final int ROW_WAIT_SECONDS = 3;

	/** Time in which a statement that waits for a row lock must answer beyond that. */
	private static final int ROW_WAIT_MARGIN_SECONDS = 2;

	private final DataSource dataSource;

	private final Duration timeout;

	private final TimeSource clock;

	private final NamedParameterJdbcTemplate jdbc;

	private final NamedParameterJdbcTemplate rowLockJdbc;

	private final TransactionTemplate transactions;

	private final PoolProperties pool;

	private volatile @Nullable DatabaseInfo databaseInfo;

	LockDataSource(DataSource dataSource, JdbcBackendSettings settings, TimeSource clock) {
		super(dataSource);
		this.dataSource = dataSource;
		this.pool = new PoolProperties(dataSource);
		this.timeout = settings.commandTimeout();
		this.clock = clock;
		this.jdbc = template(timeoutSeconds());
		this.rowLockJdbc = template(ROW_WAIT_SECONDS + ROW_WAIT_MARGIN_SECONDS);
		this.transactions = new TransactionTemplate(new LockTransactionManager(this));
	}

	private NamedParameterJdbcTemplate template(int timeoutSeconds) {
		JdbcTemplate template = new JdbcTemplate(this);
		template.setQueryTimeout(timeoutSeconds);
		template.setExceptionTranslator(JdbcExceptionTranslator.SPRING);
		return new NamedParameterJdbcTemplate(template);
	}

	/** Return the template for the connection that is bound to the current thread. */
	NamedParameterJdbcTemplate jdbc() {
		return this.jdbc;
	}

	/**
	 * Return the template with the longer time-out, for statements that wait for a row
	 * lock.
	 */
	NamedParameterJdbcTemplate rowLockJdbc() {
		return this.rowLockJdbc;
	}

	/**
	 * Return the template for transactions on the connection that is bound to the current
	 * thread. It does not set the isolation level: asking a connection for its current
	 * level costs a round trip each time. See {@link #prepare}.
	 */
	TransactionTemplate transactions() {
		return this.transactions;
	}

	TimeSource clock() {
		return this.clock;
	}

	int timeoutSeconds() {
		return (int) Math.max(1, (this.timeout.toMillis() + 999) / 1000);
	}

	/** Take a connection of the pool. */
	LockConnection open() throws SQLException {
		Connection connection = this.dataSource.getConnection();
		try {
			detectDatabase(connection);
		}
		catch (Throwable ex) {
			// Not aborted: a lazy proxy would fetch a physical connection for that.
			ConnectionEnd.close(connection);
			throw ex;
		}
		return LockConnection.take(this, connection);
	}

	/**
	 * Take a connection of the pool and set its isolation level.
	 * @param transaction whether several statements will run in one transaction
	 */
	LockConnection open(boolean transaction) throws SQLException {
		LockConnection connection = open();
		try {
			prepare(connection, transaction);
			return connection;
		}
		catch (Throwable ex) {
			connection.discard();
			throw ex;
		}
	}

	/** Take a connection for single statements, which may be idle for long in between. */
	LockConnection openReserved() throws SQLException {
		LockConnection connection = open(false);
		try {
			connection.endTransaction();
			connection.keepStatements();
			return connection;
		}
		catch (Throwable ex) {
			connection.discard();
			throw ex;
		}
	}

	/**
	 * Set the isolation level that the statements need.
	 * @param transaction whether several statements will run in one transaction
	 */
	void prepare(LockConnection connection, boolean transaction) throws SQLException {
		DatabaseInfo info = Objects.requireNonNull(this.databaseInfo);
		if (info.needsReadCommitted() && (transaction || !info.dialect().statementsIgnoreIsolation())) {
			connection.readCommitted();
		}
	}

	/** Return the database. Known after the first connection. */
	JdbcDialect dialect() {
		return Objects.requireNonNull(this.databaseInfo).dialect();
	}

	/** Return the statements for the database. Known after the first connection. */
	SqlStatements statements() {
		return Objects.requireNonNull(this.databaseInfo).statements();
	}

	/** Return the name and the URL of the database, as far as they are known. */
	String location() {
		DatabaseInfo info = this.databaseInfo;
		String url = (info != null) ? info.url() : this.pool.url();
		return DatabaseLocation.describe((info != null) ? info.dialect() : null, url);
	}

	private DatabaseInfo detectDatabase(Connection connection) throws SQLException {
		// Also called if the result is not needed: it makes a lazy proxy fetch its
		// physical connection.
		DatabaseMetaData database = connection.getMetaData();
		DatabaseInfo info = this.databaseInfo;
		if (info == null) {
			JdbcDialect dialect = JdbcDialect.of(database);
			info = new DatabaseInfo(dialect, new SqlStatements(dialect), database.getURL(),
					connection.getTransactionIsolation() != Connection.TRANSACTION_READ_COMMITTED);
			this.databaseInfo = info;
		}
		return info;
	}

	PoolProperties pool() {
		return this.pool;
	}

	/** Create the exception for a command that got no connection in time. */
	LockBackendException noConnection(String action, @Nullable String key, @Nullable Throwable cause) {
		return new LockBackendException("No connection was available from " + describe() + " within " + this.timeout
				+ " for the " + action + JdbcExceptionTranslator.lock(key)
				+ ((cause != null) ? " (" + JdbcExceptionTranslator.describe(cause) + ")" : "")
				+ ": the database is not reachable, or all connections of the pool are in use, for example by callers"
				+ " inside transactions. Increase the size of the pool (spring.datasource.hikari.maximum-pool-size, at"
				+ " least 2), or configure a separate DataSource for the locks (distlock.jdbc.data-source)", cause);
	}

	/** Describe the pool for a message. */
	String describe() {
		Integer size = this.pool.size();
		return "the DataSource (" + this.dataSource.getClass().getSimpleName()
				+ ((size != null) ? ", at most " + size + ((size == 1) ? " connection)" : " connections)") : ")");
	}

	/**
	 * Cuts off a connection whose rollback fails, so that it cannot be restored and lent
	 * again. The failure of the rollback does not replace that of the statement, which is
	 * the one to report.
	 */
	private static final class LockTransactionManager extends JdbcTransactionManager {

		LockTransactionManager(LockDataSource dataSource) {
			super(dataSource);
			setExceptionTranslator(JdbcExceptionTranslator.SPRING);
			// Otherwise a transaction whose commit failed would be committed by the
			// switch
			// back to auto-commit.
			setRollbackOnCommitFailure(true);
		}

		@Override
		protected void doRollback(DefaultTransactionStatus status) {
			try {
				super.doRollback(status);
			}
			catch (RuntimeException ex) {
				ConnectionEnd.abort(connection(status));
				this.logger.debug("The transaction of a lock command could not be rolled back", ex);
			}
			catch (Error ex) {
				ConnectionEnd.abort(connection(status));
				throw ex;
			}
		}

		private static Connection connection(DefaultTransactionStatus status) {
			return ((JdbcTransactionObjectSupport) status.getTransaction()).getConnectionHolder().getConnection();
		}

	}

	private record DatabaseInfo(JdbcDialect dialect, SqlStatements statements, @Nullable String url,
			boolean needsReadCommitted) {
	}

}
