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
final class JdbcStore {

	private static final Log logger = LogFactory.getLog(JdbcStore.class);

	private final ConnectionSource source;

	private final StoreThreads threads;

	private final JdbcCommands commands;

	private final Sweeper sweeper;

	private JdbcStore(ConnectionSource source, JdbcBackendSettings settings, int threads, ReserveSize reserve,
			TimeSource clock) {
		this.source = source;
		this.threads = new StoreThreads(threads, clock);
		this.commands = new JdbcCommands(this.source, this.threads, reserve, settings, clock);
		this.sweeper = new Sweeper(this.commands);
	}

	/** Open a store of the lease mode. Does not fail when the database is away. */
	static JdbcStore lease(DataSource dataSource, JdbcBackendSettings settings, TimeSource clock) {
		ConnectionSource source = new ConnectionSource(dataSource, settings);
		ReserveSize reserve = ReserveSize.configured(source, settings);
		// One thread for each connection at most, and one that looks after the reserve.
		int threads = settings.maxConnections() + reserve.most() + 1;
		return new JdbcStore(source, settings, threads, reserve, clock).start();
	}

	/** Open a store of the row mode. Does not fail when the database is away. */
	static JdbcStore row(DataSource dataSource, JdbcBackendSettings settings, TimeSource clock) {
		int held = settings.maxConnections();
		ConnectionSource source = new ConnectionSource(dataSource, settings);
		Integer size = source.pool().size();
		if (size != null && size <= held) {
			logger.warn("Locks are kept through " + source.describe() + ", of which the lock store uses up to " + held
					+ ": code that has a connection of that pool, as inside a transaction, and asks for a lock may"
					+ " find none left. Raise its size (spring.datasource.hikari.maximum-pool-size), lower"
					+ " distlock.jdbc.max-connections, or name a DataSource of its own for the locks"
					+ " (distlock.jdbc.data-source)");
		}
		// As many again, for releases while all others wait for rows.
		return new JdbcStore(source, settings, 2 * held + 1, ReserveSize.none(source), clock).start();
	}

	private JdbcStore start() {
		this.commands.start();
		this.sweeper.start(this.threads);
		return this;
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
		List<Boolean> rows = this.commands.run(Kind.MAINTENANCE, "check", null, (connection, script, sent) -> connection
			.query(script.get("probe"), Map.of("key", new byte[0]), (row) -> true));
		logger.debug("The table of locks is there" + (rows.isEmpty() ? "" : ", with a row for no key"));
	}

	void close() {
		this.commands.stop();
		this.threads.stop();
	}

}
