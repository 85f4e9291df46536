package io.github.distlock.backend.jdbc;

import java.time.Duration;
import java.util.UUID;

import javax.sql.DataSource;

import io.github.distlock.LockInstance;
import io.github.distlock.backend.Grant;
import io.github.distlock.backend.LockBackend;
import io.github.distlock.backend.Ticket;
import io.github.distlock.backend.TimeSource;
import io.github.distlock.backend.jdbc.JdbcBackendSettings.TableNames;
import io.github.distlock.testing.StoreNode;

/**
 * The store of one JVM in a database.
 */
final class JdbcNode extends StoreNode {

	JdbcNode(LockBackend backend) {
		this(backend, LockInstance.of(UUID.randomUUID().toString()));
	}

	JdbcNode(LockBackend backend, LockInstance self) {
		super(backend, self);
	}

	/** A node whose tickets name an application, a host and a process. */
	static JdbcNode named(DataSource dataSource, String prefix, boolean rows) {
		JdbcBackendSettings settings = settings(prefix, 10, TableNames.DEFAULT);
		return new JdbcNode(
				rows ? JdbcBackend.row(dataSource, settings, TimeSource.SYSTEM)
						: JdbcBackend.lease(dataSource, settings, TimeSource.SYSTEM),
				new LockInstance(UUID.randomUUID().toString().substring(0, 8), "order-service", "host-7", 4711L));
	}

	static JdbcNode lease(DataSource dataSource) {
		return lease(dataSource, TableNames.DEFAULT);
	}

	static JdbcNode lease(DataSource dataSource, TableNames tables) {
		return new JdbcNode(JdbcBackend.lease(dataSource, settings("distlock:", 10, tables), TimeSource.SYSTEM));
	}

	/**
	 * A failed attempt counts as a waiting JVM for twice the poll interval: longer than a
	 * test.
	 */
	private static JdbcBackendSettings settings(String prefix, int connections, TableNames tables) {
		return new JdbcBackendSettings(prefix, Duration.ofSeconds(2), Duration.ofSeconds(30), 17, 3, connections, true,
				tables);
	}

	static JdbcNode row(DataSource dataSource) {
		return row(dataSource, 10);
	}

	static JdbcNode row(DataSource dataSource, int connections) {
		return new JdbcNode(
				JdbcBackend.row(dataSource, settings("distlock:", connections, TableNames.DEFAULT), TimeSource.SYSTEM));
	}

	/**
	 * Whether a waiting ticket has the lock now: it was told so, or its next attempt gets
	 * it.
	 */
	boolean has(Ticket ticket) {
		return this.grants.containsKey(ticket) || attempt(ticket) instanceof Grant;
	}

}
