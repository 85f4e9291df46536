package io.github.distlock.backend.jdbc;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;

import io.github.distlock.LockBackendException;
import io.github.distlock.backend.LockSignals;
import io.github.distlock.backend.LockStore;
import io.github.distlock.backend.RenewalResult;
import io.github.distlock.backend.StoreContext;
import io.github.distlock.backend.StoreInspection;
import io.github.distlock.backend.StoreUnusableException;
import io.github.distlock.backend.StoredLock;
import io.github.distlock.backend.StoredLock.StoredHolder;
import io.github.distlock.backend.TimeSource;
import io.github.distlock.backend.jdbc.JdbcCommands.Kind;
import io.github.distlock.backend.jdbc.LockTable.LeaseRow;
import io.github.distlock.thread.LockLog;
import org.apache.commons.logging.Log;

/**
 * What the open stores of both modes have in common: connections, commands, the table and
 * its clean-up. Thread-safe.
 */
abstract class JdbcStore implements LockStore, StoreInspection {

	private static final Log logger = LockLog.of(JdbcStore.class);

	/** The limit of the statement that finds unused rows. */
	private static final int MAX_ROWS = 500;

	private static final Duration CLEANUP_PERIOD = Duration.ofSeconds(4);

	final JdbcBackendSettings settings;

	final LockSignals signals;

	final LockPool pool;

	final LockTable table;

	final JdbcCommands commands;

	/** Whether the log says that rows cannot be deleted. */
	private boolean warned;

	/**
	 * Open the store. Does not need the database yet.
	 * @param threads the number of threads that send commands
	 * @param attempts how many commands other than releases and renewals run at a time
	 */
	JdbcStore(LockPool pool, JdbcBackendSettings settings, int threads, int attempts, StoreContext context,
			TimeSource clock) {
		this.settings = settings;
		this.signals = context.signals();
		this.pool = pool;
		this.table = new LockTable(pool, settings, context.self().id());
		this.commands = new JdbcCommands(pool, threads, attempts, settings, clock, this.signals::renewAll);
		requireSupported();
		this.commands.every(CLEANUP_PERIOD.plusMillis(ThreadLocalRandom.current().nextLong(1000)), this::cleanUp);
	}

	/**
	 * Fail if the database is another product, or if JVMs of the other mode use it. It
	 * need not be reachable yet. If it is not, or if the table of the locks cannot be
	 * read, log it: the first call that needs a lock may come much later. Waits for one
	 * command time-out at most.
	 */
	private void requireSupported() {
		try {
			ping();
		}
		catch (LockBackendException ex) {
			// The failure of a statement would be the cause.
			if (ex instanceof StoreUnusableException && ex.getCause() == null) {
				closeConnections();
				throw ex;
			}
			logger.warn(ex.getMessage() + ". Until then no lock can be acquired");
		}
	}

	/** Delete the rows that no lock has used for a while. */
	private void cleanUp() {
		try {
			this.pool.follow();
			int deleted = MAX_ROWS;
			while (deleted == MAX_ROWS) {
				deleted = this.commands.run(Kind.ATTEMPT, "clean-up", null,
						(connection, sent) -> connection.inTransaction(() -> deleteUnused(connection)));
			}
		}
		catch (StoreUnusableException ex) {
			if (!this.warned) {
				this.warned = true;
				logger.warn(ex.getMessage() + ". Until then rows of unused locks stay in the table");
			}
		}
	}

	private static int deleteUnused(LockConnection connection) {
		List<Map<String, byte[]>> keys = connection.query("stale", Map.of(),
				(row, number) -> Map.of("key", row.getBytes(1)));
		if (!keys.isEmpty()) {
			connection.batch("delete", keys);
		}
		return keys.size();
	}

	@Override
	public final boolean blocks() {
		return true;
	}

	@Override
	public final String location() {
		return this.pool.location() + ", table '" + this.settings.tables().lock() + "', prefix '"
				+ this.settings.keyPrefix() + "'";
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
		byte[] key = ("\0" + this.table.self).getBytes(StandardCharsets.UTF_8);
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

	static List<RenewalResult> unknown(List<Renewal> renewals, LockBackendException failure) {
		RenewalResult unknown = new RenewalResult.Unknown(failure, JdbcExceptionTranslator.mayConcernOneLock(failure));
		return Collections.nCopies(renewals.size(), unknown);
	}

	@Override
	public final StoreInspection inspection() {
		return this;
	}

	/**
	 * Return what the row says. The first token of a grant is computed with the number of
	 * tokens that this JVM has configured; other JVMs should have the same.
	 */
	@Override
	public StoredLock inspect(String key) {
		StoredHolder holder = read(key).holder(this.settings.tokensPerGrant());
		return new StoredLock(key, (holder != null) ? List.of(holder) : List.of(), List.of());
	}

	@Override
	public EndResult end(String key, long grantToken) {
		LeaseRow row = read(key);
		StoredHolder holder = row.holder(this.settings.tokensPerGrant());
		if (holder == null) {
			return EndResult.NOT_HELD;
		}
		if (holder.grantToken() != grantToken) {
			return EndResult.CHANGED;
		}
		boolean ended = this.commands.run(Kind.HOLDER, "end of the grant", key, (connection, sent) -> connection
			.inTransaction(() -> this.table.end(connection, this.table.key(key), row)));
		if (ended) {
			return EndResult.ENDED;
		}
		return read(key).isHeld() ? EndResult.CHANGED : EndResult.NOT_HELD;
	}

	private LeaseRow read(String key) {
		return this.commands.run(Kind.ATTEMPT, "inspection", key,
				(connection, sent) -> this.table.read(connection, sent, key));
	}

	/** End the threads and the connections. */
	final void closeConnections() {
		this.commands.stop();
		this.pool.close();
	}

}
