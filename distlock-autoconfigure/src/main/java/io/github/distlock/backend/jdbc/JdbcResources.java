package io.github.distlock.backend.jdbc;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;

import javax.sql.DataSource;

import io.github.distlock.LockBackendException;
import io.github.distlock.backend.LockSignals;
import io.github.distlock.backend.StoreUnusableException;
import io.github.distlock.backend.TimeSource;
import io.github.distlock.backend.jdbc.JdbcCommand.Kind;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

/**
 * The parts of an open store that both modes have in common: connections, threads,
 * executor of commands, table and its cleaner.
 */
final class JdbcResources {

	private static final Log logger = LogFactory.getLog(JdbcResources.class);

	private final LockPool pool;

	private final LockTable table;

	private final JdbcThreads threads;

	private final JdbcExecutor executor;

	private final LockTableCleaner cleaner;

	private JdbcResources(LockPool pool, JdbcBackendSettings settings, int threads, int attempts, TimeSource clock,
			String self) {
		this.pool = pool;
		this.table = new LockTable(pool, settings, self);
		this.threads = new JdbcThreads(threads, settings.tables(), clock);
		this.executor = new JdbcExecutor(pool, this.threads, attempts, settings, clock);
		this.cleaner = new LockTableCleaner(this.executor);
		pool.report();
		requireSupported();
		this.cleaner.start(this.threads);
	}

	/**
	 * Fail if the database is another product. It need not be reachable yet. If the table
	 * of the locks cannot be read, log it: the first call that needs a lock may come much
	 * later.
	 */
	private void requireSupported() {
		try {
			this.executor.run(Kind.ATTEMPT, "check of the product", null, (connection, sent) -> true);
		}
		catch (StoreUnusableException ex) {
			close();
			throw ex;
		}
		catch (LockBackendException ex) {
			logger.debug("The database cannot be reached yet", ex);
			return;
		}
		try {
			ping();
		}
		catch (StoreUnusableException ex) {
			logger.warn("No lock can be acquired. " + ex.getMessage());
		}
		catch (LockBackendException ex) {
			logger.debug("The database does not answer yet", ex);
		}
	}

	/** Check that the table of the locks can be read. */
	void ping() {
		this.executor.run(Kind.ATTEMPT, "check", null,
				(connection, sent) -> connection.query("probe", Map.of("key", new byte[0]), (row, number) -> true));
	}

	/** Describe where the locks are. */
	String location() {
		return this.pool.location() + ", table '" + this.table.name() + "', prefix '" + this.table.keyPrefix() + "'";
	}

	/** Open the parts for the mode {@code lease}. Does not need the database yet. */
	static JdbcResources lease(DataSource application, JdbcBackendSettings settings, TimeSource clock, String self) {
		int size = settings.poolSize();
		// Releases and renewals need threads while attempts use all they can.
		return new JdbcResources(new LockPool(application, settings, size, size), settings, size + 2, size - 1, clock,
				self);
	}

	/** Open the parts for the mode {@code row}. Does not need the database yet. */
	static JdbcResources row(DataSource application, JdbcBackendSettings settings, TimeSource clock, String self) {
		int held = settings.maxConnections();
		// One connection more for commands, and twice as many threads: releases run while
		// other threads wait for rows.
		return new JdbcResources(new LockPool(application, settings, held + 1, 1), settings, 2 * held + 2, 1, clock,
				self);
	}

	LockPool pool() {
		return this.pool;
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

	/** Create what wakes the waiting tickets of this JVM when other JVMs release. */
	ReleaseNotifications notifications(LockSignals signals, Duration timeout, TimeSource clock) {
		return new ReleaseNotifications(this.pool, this.executor, this.table, signals, timeout, clock);
	}

	/**
	 * Check that the table exists and has the expected columns, and that the user may do
	 * with its rows what locks need.
	 */
	void verify() {
		this.executor.run(Kind.MAINTENANCE, "check", null,
				(connection, sent) -> connection.query("probe", Map.of("key", new byte[0]), (row, number) -> true));
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
		this.pool.close();
	}

}
