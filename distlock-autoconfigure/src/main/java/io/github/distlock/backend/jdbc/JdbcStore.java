package io.github.distlock.backend.jdbc;

import java.util.List;
import java.util.Map;

import javax.sql.DataSource;

import io.github.distlock.backend.TimeSource;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

/**
 * What a store of either mode has while it runs: threads, connections, and somebody who
 * cleans up.
 */
final class JdbcStore {

	private static final Log logger = LogFactory.getLog(JdbcStore.class);

	private final ConnectionSource source;

	private final StoreThreads threads;

	private final JdbcCommands commands;

	private final Sweeper sweeper;

	private JdbcStore(DataSource dataSource, JdbcBackendSettings settings, int threads, TimeSource clock) {
		this.source = new ConnectionSource(dataSource, settings);
		this.threads = new StoreThreads(threads, clock);
		this.commands = new JdbcCommands(this.source, this.threads, settings.commandTimeout(), clock);
		this.sweeper = new Sweeper(this.commands);
	}

	/**
	 * Open a store. Does not fail when the database is away.
	 * @param threads how many may be busy at a time
	 * @param held how many connections of the pool the store may keep for long
	 */
	static JdbcStore open(DataSource dataSource, JdbcBackendSettings settings, int threads, int held,
			TimeSource clock) {
		JdbcStore store = new JdbcStore(dataSource, settings, threads, clock);
		Integer size = store.source.poolSize();
		if (size != null && size <= Math.max(1, held)) {
			logger.warn("Locks are kept through " + store.source.describe() + ", of which the lock store uses up to "
					+ Math.max(1, held)
					+ ": code that has a connection of that pool, as inside a transaction, and asks for a lock may"
					+ " find none left. Raise its size (spring.datasource.hikari.maximum-pool-size), lower"
					+ " distlock.jdbc.max-connections, or name a DataSource of its own for the locks"
					+ " (distlock.jdbc.data-source)");
		}
		store.sweeper.start(store.threads);
		return store;
	}

	ConnectionSource source() {
		return this.source;
	}

	StoreThreads threads() {
		return this.threads;
	}

	JdbcCommands commands() {
		return this.commands;
	}

	Sweeper sweeper() {
		return this.sweeper;
	}

	/** Find out whether the table is there, as it should be. */
	void verify() {
		List<Boolean> rows = this.commands.run("check", null, false, (connection, script, sent) -> connection
			.query(script.get("probe"), Map.of("key", new byte[0]), (row) -> true));
		logger.debug("The table of locks is there" + (rows.isEmpty() ? "" : ", with a row for no key"));
	}

	void close() {
		this.threads.stop();
	}

}
