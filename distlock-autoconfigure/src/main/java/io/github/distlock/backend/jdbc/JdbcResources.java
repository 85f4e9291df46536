package io.github.distlock.backend.jdbc;

import java.util.List;
import java.util.Map;

import javax.sql.DataSource;

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

	private final LockDataSource source;

	private final LockTable table;

	private final JdbcThreads threads;

	private final JdbcExecutor executor;

	private final LockTableCleaner cleaner;

	private JdbcResources(LockDataSource source, JdbcBackendSettings settings, int threads,
			ReservedConnectionCount reserve, TimeSource clock) {
		this.source = source;
		this.table = new LockTable(source, settings);
		this.threads = new JdbcThreads(threads, clock);
		this.executor = new JdbcExecutor(this.source, this.threads, reserve, settings, clock);
		this.cleaner = new LockTableCleaner(this.executor);
	}

	/** Open the parts for the mode {@code lease}. Does not need the database yet. */
	static JdbcResources lease(DataSource dataSource, JdbcBackendSettings settings, TimeSource clock) {
		LockDataSource source = new LockDataSource(dataSource, settings);
		ReservedConnectionCount reserve = ReservedConnectionCount.configured(source, settings);
		// One thread for each connection, and one to take reserved connections.
		int threads = settings.maxConnections() + reserve.maximum() + 1;
		return new JdbcResources(source, settings, threads, reserve, clock).start();
	}

	/** Open the parts for the mode {@code row}. Does not need the database yet. */
	static JdbcResources row(DataSource dataSource, JdbcBackendSettings settings, TimeSource clock) {
		int held = settings.maxConnections();
		LockDataSource source = new LockDataSource(dataSource, settings);
		Integer size = source.pool().size();
		if (size != null && size <= held) {
			logger.warn("The lock store uses up to " + held + " connections of " + source.describe()
					+ ": code that already has a connection of that pool, for example inside a transaction, may find"
					+ " none left for its lock. Increase the size of the pool"
					+ " (spring.datasource.hikari.maximum-pool-size), decrease distlock.jdbc.max-connections, or"
					+ " configure a separate DataSource for the locks (distlock.jdbc.data-source)");
		}
		// Twice as many threads as connections: releases run while other threads wait for
		// rows.
		return new JdbcResources(source, settings, 2 * held + 1, ReservedConnectionCount.none(source), clock).start();
	}

	private JdbcResources start() {
		this.executor.start();
		this.cleaner.start(this.threads);
		return this;
	}

	LockDataSource source() {
		return this.source;
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

	LockTableCleaner cleaner() {
		return this.cleaner;
	}

	/** Check that the table exists and has the expected columns. */
	void verify() {
		List<Boolean> rows = this.executor.run(Kind.MAINTENANCE, "check", null,
				(connection, sent) -> connection.query("probe", Map.of("key", new byte[0]), (row, number) -> true));
		logger.debug("The table of locks exists" + (rows.isEmpty() ? "" : ", and has a row with an empty key"));
	}

	void close() {
		this.executor.stop();
		this.threads.stop();
	}

}
