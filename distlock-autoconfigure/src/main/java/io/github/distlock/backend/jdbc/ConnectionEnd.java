package io.github.distlock.backend.jdbc;

import java.sql.Connection;
import java.sql.SQLException;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

/**
 * The ways to part with a connection of a pool. None of them throws an exception of the
 * driver or of the pool.
 */
final class ConnectionEnd {

	private static final Log logger = LogFactory.getLog(ConnectionEnd.class);

	private ConnectionEnd() {
	}

	/** Abort a connection, then close it, so that its pool drops it. */
	static void discard(Connection connection) {
		abort(connection);
		close(connection);
	}

	/** Abort a connection. Its pool drops it when it is closed. */
	static void abort(Connection connection) {
		try {
			connection.abort(Runnable::run);
			// Some pools notice that a connection is broken when a call fails, but not
			// when an aborted connection is closed.
			connection.getAutoCommit();
		}
		catch (SQLException | RuntimeException | AbstractMethodError ex) {
			logger.debug("A connection could not be aborted: it is broken already, or its driver does not support it",
					ex);
		}
	}

	/** Close a connection whose settings were not changed. */
	static void close(Connection connection) {
		try {
			connection.close();
		}
		catch (SQLException | RuntimeException ex) {
			logger.debug("A connection could not be closed: it is broken already", ex);
		}
	}

}
