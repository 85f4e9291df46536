package io.github.distlock.backend.jdbc;

import java.io.PrintStream;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.locks.LockSupport;

import javax.sql.DataSource;

import com.zaxxer.hikari.HikariDataSource;
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

	/** On PostgreSQL, JVMs of both modes may not use the same prefix. */
	static final String CONNECTION_PREFIX = "connection:";

	/** The command time-out. A server or a thread may stand still for seconds. */
	static final Duration COMMAND = Duration.ofSeconds(20);

	/** Of a node that waits for it. */
	static final Duration SHORT_COMMAND = Duration.ofSeconds(8);

	JdbcNode(LockBackend backend) {
		this(backend, LockInstance.of(UUID.randomUUID().toString()));
	}

	JdbcNode(LockBackend backend, LockInstance self) {
		super(backend, self);
	}

	/** A node whose tickets name an application, a host and a process. */
	static JdbcNode named(DataSource dataSource, String prefix, boolean connected) {
		JdbcBackendSettings settings = settings(prefix, COMMAND, 10, TableNames.DEFAULT);
		return new JdbcNode(
				connected ? JdbcBackend.connection(dataSource, settings, TimeSource.SYSTEM)
						: JdbcBackend.lease(dataSource, settings, TimeSource.SYSTEM),
				new LockInstance(UUID.randomUUID().toString().substring(0, 8), "order-service", "host-7", 4711L));
	}

	static JdbcNode lease(DataSource dataSource) {
		return lease(dataSource, TableNames.DEFAULT);
	}

	static JdbcNode lease(DataSource dataSource, TableNames tables) {
		return lease(dataSource, tables, COMMAND);
	}

	/** A node of a test that waits for the command time-out. */
	static JdbcNode impatient(DataSource dataSource) {
		return lease(dataSource, TableNames.DEFAULT, SHORT_COMMAND);
	}

	private static JdbcNode lease(DataSource dataSource, TableNames tables, Duration command) {
		return new JdbcNode(
				JdbcBackend.lease(dataSource, settings("distlock:", command, 10, tables), TimeSource.SYSTEM));
	}

	/**
	 * A failed attempt counts as a waiting JVM for twice the poll interval: longer than a
	 * test.
	 */
	private static JdbcBackendSettings settings(String prefix, Duration command, int connections, TableNames tables) {
		return new JdbcBackendSettings(prefix, command, Duration.ofSeconds(30), 17, 3, connections, true, tables, "");
	}

	static JdbcNode connection(DataSource dataSource) {
		return connection(dataSource, 10);
	}

	static JdbcNode connection(DataSource dataSource, int connections) {
		return new JdbcNode(JdbcBackend.connection(dataSource,
				settings(CONNECTION_PREFIX, COMMAND, connections, TableNames.DEFAULT), TimeSource.SYSTEM));
	}

	/**
	 * Whether a waiting ticket has the lock now: it was told so, or its next attempt gets
	 * it.
	 */
	boolean has(Ticket ticket) {
		return this.grants.containsKey(ticket) || attempt(ticket) instanceof Grant;
	}

	/**
	 * A program that holds a lock until it is killed, and says after a pause whether it
	 * still relies on it.
	 */
	public static void main(String[] args) {
		PrintStream out = System.out;
		out.println("started");
		HikariDataSource pool = new TestDatabase(args[0], args[1], args[2]).pool(4);
		JdbcNode node = connection(pool, 4);
		Duration lease = Duration.ofMillis((args.length > 4) ? Long.parseLong(args[4]) : 30_000);
		Grant grant = granted(node.attempt(node.ticket(args[3]), lease, true));
		out.println("held " + grant.firstToken());
		long last = System.nanoTime();
		while (true) {
			boolean valid = !grant.validity().hasPassed(TimeSource.SYSTEM);
			long now = System.nanoTime();
			// The lease of a paused process ends a little earlier.
			if (now - last > lease.toNanos() - 2_000_000_000) {
				out.println("resumed valid=" + valid);
			}
			last = now;
			LockSupport.parkNanos(10_000_000);
		}
	}

}
