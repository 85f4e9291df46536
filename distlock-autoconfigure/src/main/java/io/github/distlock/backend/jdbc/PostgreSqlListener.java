package io.github.distlock.backend.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLNonTransientConnectionException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

import org.postgresql.PGConnection;
import org.postgresql.PGNotification;

/**
 * A connection beside the pool that listens to the notifications of {@code NOTIFY}. Only
 * one thread may use it.
 */
final class PostgreSqlListener implements AutoCloseable {

	private final LockConnection connection;

	private final PGConnection driver;

	private PostgreSqlListener(LockConnection connection, PGConnection driver) {
		this.connection = connection;
		this.driver = driver;
	}

	/** Return whether the interfaces of the driver are on the class path. */
	static boolean isSupported() {
		try {
			return PGConnection.class.isInterface();
		}
		catch (LinkageError ex) {
			return false;
		}
	}

	/** Return the number of the session of a connection, as the driver knows it. */
	static int session(Connection connection) {
		try {
			return isSupported() && connection.isWrapperFor(PGConnection.class)
					? connection.unwrap(PGConnection.class).getBackendPID() : -1;
		}
		catch (SQLException ex) {
			return -1;
		}
	}

	/** Cancel what the session of a connection runs. */
	static void cancel(Connection connection) throws SQLException {
		connection.unwrap(PGConnection.class).cancelQuery();
	}

	/** Let the driver use no prepared statements of the server. */
	static void keepNoStatements(Connection connection) throws SQLException {
		connection.unwrap(PGConnection.class).setPrepareThreshold(0);
	}

	/** Open a connection beside a pool and listen on it. */
	static PostgreSqlListener open(LockPool pool, Duration limit) throws SQLException {
		LockConnection connection = pool.openBeside(limit);
		try {
			PGConnection driver = connection.unwrap(PGConnection.class);
			connection.update("listen", Map.of());
			return new PostgreSqlListener(connection, driver);
		}
		catch (Throwable ex) {
			connection.discard();
			throw ex;
		}
	}

	/**
	 * Return the payloads that have arrived. Waits until there is one.
	 * @param timeout how long to wait at most
	 */
	List<String> receive(Duration timeout) throws SQLException {
		PGNotification[] notifications = this.driver.getNotifications((int) timeout.toMillis());
		return (notifications != null) ? Stream.of(notifications).map(PGNotification::getParameter).toList()
				: List.of();
	}

	/** Check that the session answers. Its answer brings what has arrived before. */
	void validate() throws SQLException {
		if (!this.connection.isAlive()) {
			throw new SQLNonTransientConnectionException("the connection that listens is broken");
		}
	}

	/** Stop listening and close the connection. */
	@Override
	public void close() {
		try (this.connection) {
			this.connection.update("unlisten", Map.of());
		}
	}

}
