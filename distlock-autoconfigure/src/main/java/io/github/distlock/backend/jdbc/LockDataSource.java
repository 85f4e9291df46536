package io.github.distlock.backend.jdbc;

import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Objects;

import javax.sql.DataSource;

import io.github.distlock.LockBackendException;
import org.jspecify.annotations.Nullable;

/**
 * Where the connections come from. They are taken on the store's threads, which have no
 * transaction: so none is ever that of a caller's transaction, whatever proxies the
 * application has around its pool.
 */
final class LockDataSource {

	private final DataSource dataSource;

	private final long timeoutMillis;

	private final PoolProperties pool;

	private volatile @Nullable Contact contact;

	LockDataSource(DataSource dataSource, JdbcBackendSettings settings) {
		this.dataSource = dataSource;
		this.pool = new PoolProperties(dataSource);
		this.timeoutMillis = settings.commandTimeout().toMillis();
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
		return LockConnection.take(connection, this.timeoutMillis);
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
		return new LockBackendException("No connection came out of " + describe() + " within "
				+ Duration.ofMillis(this.timeoutMillis) + " for the " + what + JdbcExceptionTranslator.lock(key)
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

	private record Contact(JdbcDialect dialect, SqlStatements statements, boolean otherIsolation) {
	}

}
