package io.github.distlock.backend.jdbc;

import java.nio.charset.StandardCharsets;
import java.util.Map;

import io.github.distlock.LockBackendException;
import io.github.distlock.backend.BackendDescription;
import io.github.distlock.backend.BlockingLockStore;
import io.github.distlock.backend.LockSignals;
import io.github.distlock.backend.StoreContext;
import io.github.distlock.backend.StoreUnusableException;
import io.github.distlock.backend.TimeSource;
import io.github.distlock.backend.jdbc.JdbcCommands.Kind;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

/**
 * What the open stores of both modes have in common: connections, commands, the table and
 * its cleaner. Thread-safe.
 */
abstract class JdbcStore extends BlockingLockStore {

	private static final Log logger = LogFactory.getLog(JdbcStore.class);

	final JdbcBackendSettings settings;

	final LockSignals signals;

	final LockPool pool;

	final LockTable table;

	final JdbcCommands commands;

	final LockTableCleaner cleaner;

	private final BackendDescription description;

	/**
	 * Open the store. Does not need the database yet.
	 * @param threads the number of threads that send commands
	 * @param attempts how many commands other than releases and renewals run at a time
	 */
	JdbcStore(LockPool pool, JdbcBackendSettings settings, int threads, int attempts, BackendDescription description,
			StoreContext context, TimeSource clock) {
		this.settings = settings;
		this.signals = context.signals();
		this.pool = pool;
		this.table = new LockTable(pool, settings, context.self().id());
		this.commands = new JdbcCommands(pool, threads, attempts, settings, clock);
		this.cleaner = new LockTableCleaner(this.commands);
		this.description = description;
		pool.report();
		requireSupported();
		this.cleaner.start();
	}

	/**
	 * Fail if the database is another product. It need not be reachable yet. If the table
	 * of the locks cannot be read, log it: the first call that needs a lock may come much
	 * later.
	 */
	private void requireSupported() {
		try {
			this.commands.run(Kind.ATTEMPT, "check of the product", null, (connection, sent) -> true);
		}
		catch (StoreUnusableException ex) {
			closeConnections();
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

	@Override
	public final BackendDescription description() {
		return this.description;
	}

	@Override
	public final String location() {
		return this.pool.location() + ", table '" + this.table.name() + "', prefix '" + this.table.keyPrefix() + "'";
	}

	/** Check that the table of the locks can be read. */
	@Override
	public final void ping() {
		this.commands.run(Kind.ATTEMPT, "check", null,
				(connection, sent) -> connection.query("probe", Map.of("key", new byte[0]), (row, number) -> true));
	}

	/**
	 * Check that the table exists and has the expected columns, and that the user may do
	 * with its rows what locks need.
	 */
	@Override
	public final void verify() {
		ping();
		// No lock has a key that begins with this character, unless the prefix does.
		byte[] key = ("\0" + this.table.self()).getBytes(StandardCharsets.UTF_8);
		// INSERT comes last, so that the row can be deleted again.
		verifyRight("UPDATE", "freeRow", Map.of("key", key, "fence", 0L));
		verifyRight("DELETE", "delete", Map.of("key", key));
		verifyRight("INSERT", "insert", Map.of("key", key));
		verifyRight("DELETE", "delete", Map.of("key", key));
	}

	private void verifyRight(String right, String statement, Map<String, ?> values) {
		this.commands.run(Kind.ATTEMPT, "check of the right " + right, null,
				(connection, sent) -> connection.update(statement, values));
	}

	/** End the threads and the connections. */
	final void closeConnections() {
		this.commands.stop();
		this.pool.close();
	}

}
