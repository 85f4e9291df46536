package io.github.distlock.backend.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

import org.postgresql.PGConnection;
import org.postgresql.PGNotification;

import org.springframework.util.ClassUtils;

/**
 * What JDBC has no method for. The driver of PostgreSQL is an optional dependency.
 */
final class PostgreSqlDriver {

	/** Whether the interfaces of the driver are on the class path. */
	static final boolean PRESENT = ClassUtils.isPresent("org.postgresql.PGConnection",
			PostgreSqlDriver.class.getClassLoader());

	private PostgreSqlDriver() {
	}

	/** Return the number of the session of a connection, as the driver knows it. */
	static int session(Connection connection) throws SQLException {
		return (PRESENT && connection.isWrapperFor(PGConnection.class))
				? connection.unwrap(PGConnection.class).getBackendPID() : -1;
	}

	/**
	 * Cancel what a session runs. May be repeated: {@code Statement.cancel()} of this
	 * driver sends one request, which has no effect on a statement that has not begun.
	 */
	static void cancel(Statement running) throws SQLException {
		Connection connection = running.getConnection();
		if (PRESENT && connection.isWrapperFor(PGConnection.class)) {
			connection.unwrap(PGConnection.class).cancelQuery();
		}
		else {
			running.cancel();
		}
	}

	/**
	 * Return the payloads of the notifications that have arrived. Waits until there is
	 * one.
	 * @param timeout how long to wait at most
	 */
	static List<String> receive(Connection connection, Duration timeout) throws SQLException {
		PGNotification[] arrived = connection.unwrap(PGConnection.class).getNotifications((int) timeout.toMillis());
		return (arrived != null) ? Stream.of(arrived).map(PGNotification::getParameter).toList() : List.of();
	}

}
