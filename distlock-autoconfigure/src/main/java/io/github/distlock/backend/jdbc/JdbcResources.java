package io.github.distlock.backend.jdbc;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;

import javax.sql.DataSource;

import io.github.distlock.LockInstance;
import io.github.distlock.backend.LockSignals;
import io.github.distlock.backend.TimeSource;
import io.github.distlock.backend.jdbc.JdbcCommand.Kind;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

/**
 * The parts of an open store that both modes have in common: data source, threads,
 * executor of commands, table and its cleaner.
 */
final class JdbcResources {

	private static final Log logger = LogFactory.getLog(JdbcResources.class);

	private final LockDataSource dataSource;

	private final LockTable table;

	private final JdbcThreads threads;

	private final JdbcExecutor executor;

	private final InstanceTable instances;

	private final LockTableCleaner cleaner;

	private final ReservedConnectionCount reserved;

	private JdbcResources(LockDataSource dataSource, JdbcBackendSettings settings, int threads,
			ReservedConnectionCount count, TimeSource clock, LockInstance self, long tokens) {
		this.dataSource = dataSource;
		this.table = new LockTable(dataSource, settings, self.id());
		this.threads = new JdbcThreads(threads, clock);
		this.executor = new JdbcExecutor(this.dataSource, this.threads, count, settings, clock);
		this.instances = new InstanceTable(this.executor, self, settings.keyPrefix(), tokens);
		this.cleaner = new LockTableCleaner(this.executor, this.instances);
		this.reserved = count;
	}

	/** Open the parts for the mode {@code lease}. Does not need the database yet. */
	static JdbcResources lease(DataSource applicationDataSource, JdbcBackendSettings settings, TimeSource clock,
			LockInstance self) {
		LockDataSource dataSource = new LockDataSource(applicationDataSource, settings, clock);
		ReservedConnectionCount count = ReservedConnectionCount.configured(dataSource, settings);
		// One thread for each connection, and one to take reserved connections.
		int threads = settings.maxConnections() + count.maximum() + 1;
		return new JdbcResources(dataSource, settings, threads, count, clock, self, settings.tokensPerGrant()).start();
	}

	/** Open the parts for the mode {@code row}. Does not need the database yet. */
	static JdbcResources row(DataSource applicationDataSource, JdbcBackendSettings settings, TimeSource clock,
			LockInstance self) {
		int held = settings.maxConnections();
		LockDataSource dataSource = new LockDataSource(applicationDataSource, settings, clock);
		Integer size = dataSource.pool().size();
		if (size != null && size <= held) {
			logger.warn("The lock store uses up to " + held + " connections of " + dataSource.describe()
					+ ": code that already has a connection of that pool, for example inside a transaction, may find"
					+ " none left for its lock. Increase the size of the pool"
					+ " (spring.datasource.hikari.maximum-pool-size), decrease distlock.jdbc.max-connections, or"
					+ " configure a separate DataSource for the locks (distlock.jdbc.data-source)");
		}
		// Twice as many threads as connections: releases run while other threads wait for
		// rows.
		return new JdbcResources(dataSource, settings, 2 * held + 1, ReservedConnectionCount.none(dataSource), clock,
				self, JdbcRowBackend.TOKENS)
			.start();
	}

	private JdbcResources start() {
		this.executor.start();
		this.cleaner.start(this.threads);
		return this;
	}

	LockDataSource dataSource() {
		return this.dataSource;
	}

	LockTable table() {
		return this.table;
	}

	JdbcThreads threads() {
		return this.threads;
	}

	JdbcExecutor executor() {
		return this.executor;
	}

	InstanceTable instances() {
		return this.instances;
	}

	LockTableCleaner cleaner() {
		return this.cleaner;
	}

	/** Create what wakes the waiting tickets of this JVM when other JVMs release. */
	ReleaseNotifications notifications(LockSignals signals, Duration timeout, TimeSource clock) {
		return new ReleaseNotifications(this.dataSource, this.reserved, this.executor, this.table, signals, timeout,
				clock);
	}

	/**
	 * Check that the table exists and has the expected columns, and that the user may do
	 * with its rows what locks need.
	 */
	void verify() {
		List<Boolean> rows = this.executor.run(Kind.MAINTENANCE, "check", null,
				(connection, sent) -> connection.query("probe", Map.of("key", new byte[0]), (row, number) -> true));
		logger.debug("The table of locks exists" + (rows.isEmpty() ? "" : ", and has a row with an empty key"));
		// No lock has a key that begins with this character, unless the prefix does.
		byte[] key = ("\0" + this.table.self()).getBytes(StandardCharsets.UTF_8);
		// INSERT comes last, so that the row can be deleted again.
		verifyRight("UPDATE", "freeRow", Map.of("key", key, "fence", 0L));
		verifyRight("DELETE", "delete", Map.of("key", key));
		verifyRight("INSERT", "insert", Map.of("key", key));
		verifyRight("DELETE", "delete", Map.of("key", key));
	}

	private void verifyRight(String right, String statement, Map<String, ?> values) {
		this.executor.run(Kind.MAINTENANCE, "check of the right " + right, null,
				(connection, sent) -> connection.update(statement, values));
	}

	void close() {
		this.executor.stop();
		this.threads.stop();
	}

}
