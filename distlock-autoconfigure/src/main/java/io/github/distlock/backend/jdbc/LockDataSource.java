package io.github.distlock.backend.jdbc;

import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Objects;

import javax.sql.DataSource;

import io.github.distlock.LockBackendException;
import org.jspecify.annotations.Nullable;

import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.core.namedparam.NamedParameterJdbcTemplate;
import org.springframework.jdbc.datasource.DelegatingDataSource;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.support.DefaultTransactionStatus;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * Where the connections come from. They are taken on the store's threads, which have no
 * transaction: so none is ever that of a caller's transaction, whatever proxies the
 * application has around its pool.
 */
final class LockDataSource extends DelegatingDataSource {

	/** How long a statement may wait for a row. */
	static final int ROW_WAIT_SECONDS = 3;

	private final DataSource dataSource;

	private final Duration timeout;

	private final NamedParameterJdbcTemplate jdbc;

	private final NamedParameterJdbcTemplate waitingJdbc;

	private final TransactionTemplate transactions;

	private final PoolProperties pool;

	private volatile @Nullable Contact contact;

	LockDataSource(DataSource dataSource, JdbcBackendSettings settings) {
		super(dataSource);
		this.dataSource = dataSource;
		this.pool = new PoolProperties(dataSource);
		this.timeout = settings.commandTimeout();
		this.jdbc = template(timeoutSeconds());
		this.waitingJdbc = template(ROW_WAIT_SECONDS + 2);
		this.transactions = new TransactionTemplate(new LockTransactionManager(this));
	}

	private NamedParameterJdbcTemplate template(int timeoutSeconds) {
		JdbcTemplate template = new JdbcTemplate(this);
		template.setQueryTimeout(timeoutSeconds);
		template.setExceptionTranslator(JdbcExceptionTranslator.SPRING);
		return new NamedParameterJdbcTemplate(template);
	}

	/** Runs statements on the connection that is bound to the thread. */
	NamedParameterJdbcTemplate jdbc() {
		return this.jdbc;
	}

	/** The same for statements that may wait for a row. */
	NamedParameterJdbcTemplate waitingJdbc() {
		return this.waitingJdbc;
	}

	/** Runs transactions on the connection that is bound to the thread. */
	TransactionTemplate transactions() {
		return this.transactions;
	}

	int timeoutSeconds() {
		return (int) Math.max(1, (this.timeout.toMillis() + 999) / 1000);
	}

	/** Take a connection. */
	LockConnection open() throws SQLException {
		Connection connection = this.dataSource.getConnection();
		try {
			contact(connection);
		}
		catch (Throwable ex) {
			// A lazy proxy without a physical connection would fetch one for an abort.
			LockConnection.close(connection);
			throw ex;
		}
		return LockConnection.take(this, connection);
	}

	/**
	 * Take a connection and prepare it.
	 * @param transaction whether more than one statement will run in a transaction
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

	/** Take a connection for single statements, which may then be idle for long. */
	LockConnection openReserved() throws SQLException {
		LockConnection connection = open(false);
		try {
			connection.endTransaction();
			return connection;
		}
		catch (Throwable ex) {
			connection.discard();
			throw ex;
		}
	}

	/**
	 * Give a connection the isolation level that its statements need.
	 * @param transaction whether more than one statement will run in a transaction
	 */
	void prepare(LockConnection connection, boolean transaction) throws SQLException {
		Contact known = Objects.requireNonNull(this.contact);
		if (known.otherIsolation() && (transaction || !known.dialect().statementsIgnoreIsolation())) {
			connection.readCommitted();
		}
	}

	/** The database, known once a connection was had. */
	JdbcDialect dialect() {
		return Objects.requireNonNull(this.contact).dialect();
	}

	SqlStatements statements() {
		return Objects.requireNonNull(this.contact).statements();
	}

	private Contact contact(Connection connection) throws SQLException {
		// Always called: it makes a lazy proxy fetch its physical connection now.
		DatabaseMetaData database = connection.getMetaData();
		Contact known = this.contact;
		if (known == null) {
			JdbcDialect dialect = JdbcDialect.of(database);
			known = new Contact(dialect, new SqlStatements(dialect),
					connection.getTransactionIsolation() != Connection.TRANSACTION_READ_COMMITTED);
			this.contact = known;
		}
		return known;
	}

	PoolProperties pool() {
		return this.pool;
	}

	/** Say that none was had in time. */
	LockBackendException noConnection(String what, @Nullable String key, @Nullable Throwable cause) {
		return new LockBackendException("No connection came out of " + describe() + " within " + this.timeout
				+ " for the " + what + JdbcExceptionTranslator.lock(key)
				+ ((cause != null) ? " (" + JdbcExceptionTranslator.describe(cause) + ")" : "")
				+ ": the database is away, or the pool has none left, as when callers inside transactions keep them"
				+ " all. Give the pool more (spring.datasource.hikari.maximum-pool-size, at least 2), or name a"
				+ " DataSource of its own for the locks (distlock.jdbc.data-source)", cause);
	}

	/** Name the pool in a message. */
	String describe() {
		Integer size = this.pool.size();
		return "the DataSource (" + this.dataSource.getClass().getSimpleName()
				+ ((size != null) ? ", at most " + size + ((size == 1) ? " connection)" : " connections)") : ")");
	}

	/**
	 * A rollback that fails does not replace the failure of the statement: the connection
	 * is cut off when it is closed.
	 */
	private static final class LockTransactionManager extends JdbcTransactionManager {

		LockTransactionManager(LockDataSource dataSource) {
			super(dataSource);
			setExceptionTranslator(JdbcExceptionTranslator.SPRING);
		}

		@Override
		protected void doRollback(DefaultTransactionStatus status) {
			try {
				super.doRollback(status);
			}
			catch (RuntimeException ex) {
				this.logger.debug("A transaction of a lock command could not be rolled back", ex);
			}
		}

	}

	private record Contact(JdbcDialect dialect, SqlStatements statements, boolean otherIsolation) {
	}

}
