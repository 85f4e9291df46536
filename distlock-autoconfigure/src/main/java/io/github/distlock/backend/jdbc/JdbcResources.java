package io.github.distlock.backend.jdbc;

import java.util.List;
import java.util.Map;

import javax.sql.DataSource;

import io.github.distlock.backend.TimeSource;
import io.github.distlock.backend.jdbc.JdbcCommand.Kind;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

/**
 * What a store of either mode has while it runs: threads, connections, and somebody who
 * cleans up.
 */
final class JdbcResources {

	private static final Log logger = LogFactory.getLog(JdbcResources.class);

	private final LockDataSource source;

	private final JdbcThreads threads;

	private final JdbcExecutor commands;

	private final LockTableCleaner cleaner;

	private JdbcResources(LockDataSource source, JdbcBackendSettings settings, int threads,
			ReservedConnectionCount reserve, TimeSource clock) {
		this.source = source;
		this.threads = new JdbcThreads(threads, clock);
		this.commands = new JdbcExecutor(this.source, this.threads, reserve, settings, clock);
		this.cleaner = new LockTableCleaner(this.commands);
	}

	/** Open a store of the lease mode. Does not fail when the database is away. */
	static JdbcResources lease(DataSource dataSource, JdbcBackendSettings settings, TimeSource clock) {
		LockDataSource source = new LockDataSource(dataSource, settings);
		ReservedConnectionCount reserve = ReservedConnectionCount.configured(source, settings);
		// One thread for each connection at most, and one that looks after the reserve.
		int threads = settings.maxConnections() + reserve.most() + 1;
		return new JdbcResources(source, settings, threads, reserve, clock).start();
	}

	/** Open a store of the row mode. Does not fail when the database is away. */
	static JdbcResources row(DataSource dataSource, JdbcBackendSettings settings, TimeSource clock) {
		int held = settings.maxConnections();
		LockDataSource source = new LockDataSource(dataSource, settings);
		Integer size = source.pool().size();
		if (size != null && size <= held) {
			logger.warn("Locks are kept through " + source.describe() + ", of which the lock store uses up to " + held
					+ ": code that has a connection of that pool, as inside a transaction, and asks for a lock may"
					+ " find none left. Raise its size (spring.datasource.hikari.maximum-pool-size), lower"
					+ " distlock.jdbc.max-connections, or name a DataSource of its own for the locks"
					+ " (distlock.jdbc.data-source)");
		}
		// As many again, for releases while all others wait for rows.
		return new JdbcResources(source, settings, 2 * held + 1, ReservedConnectionCount.none(source), clock).start();
	}

	private JdbcResources start() {
		this.commands.start();
		this.cleaner.start(this.threads);
		return this;
	}

	LockDataSource source() {
		return this.source;
	}

	JdbcThreads threads() {
		return this.threads;
	}

	JdbcExecutor commands() {
		return this.commands;
	}

	LockTableCleaner cleaner() {
		return this.cleaner;
	}

	/** Find out whether the table is there, as it should be. */
	void verify() {
		List<Boolean> rows = this.commands.run(Kind.MAINTENANCE, "check", null,
				(connection, sent) -> connection.query("probe", Map.of("key", new byte[0]), (row, number) -> true));
		logger.debug("The table of locks is there" + (rows.isEmpty() ? "" : ", with a row for no key"));
	}

	void close() {
		this.commands.stop();
		this.threads.stop();
	}

}
