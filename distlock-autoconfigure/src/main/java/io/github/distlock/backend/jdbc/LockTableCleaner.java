package io.github.distlock.backend.jdbc;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;

import io.github.distlock.LockBackendException;
import io.github.distlock.backend.StoreUnusableException;
import io.github.distlock.backend.jdbc.JdbcCommands.Kind;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

/**
 * Deletes unused rows: those that have been free for ten seconds and whose last token is
 * older than that. It skips locked rows, and locks no row for longer than its transaction
 * lasts. It sends nothing while the table is empty and this JVM takes no locks.
 */
final class LockTableCleaner {

	private static final Log logger = LogFactory.getLog(LockTableCleaner.class);

	private static final long PERIOD_MILLIS = 4000;

	private static final long JITTER_MILLIS = 1000;

	/** The limit of the statement. */
	private static final int MAX_ROWS = 500;

	private final JdbcCommands commands;

	/** Whether the table may contain rows. */
	private volatile boolean needed = true;

	/** Whether the log says that rows cannot be deleted. */
	private boolean warned;

	LockTableCleaner(JdbcCommands commands) {
		this.commands = commands;
	}

	void start() {
		long jitter = ThreadLocalRandom.current().nextLong(JITTER_MILLIS);
		this.commands.every(Duration.ofMillis(PERIOD_MILLIS + jitter), this::clean);
	}

	/** Notify the cleaner that a row was inserted or updated. */
	void rowUsed() {
		if (!this.needed) {
			this.needed = true;
		}
	}

	private void clean() {
		if (!this.needed) {
			return;
		}
		// Before the query: a row that is inserted from now on sets the flag again.
		this.needed = false;
		try {
			while (cleanOnce() == MAX_ROWS) {
				logger.debug("The maximum number of unused rows was deleted; there may be more");
			}
		}
		catch (LockBackendException ex) {
			this.needed = true;
			if (ex instanceof StoreUnusableException && !this.warned) {
				this.warned = true;
				logger.warn("Rows of unused locks stay in the table. " + ex.getMessage());
			}
			logger.debug("Unused rows of the lock table could not be deleted; the next clean-up tries again", ex);
		}
	}

	private int cleanOnce() {
		return this.commands.run(Kind.ATTEMPT, "clean-up", null, (connection, sent) -> connection.inTransaction(() -> {
			List<Map<String, byte[]>> keys = connection.query("stale", Map.of(),
					(row, number) -> Map.of("key", row.getBytes(1)));
			if (!keys.isEmpty()) {
				connection.batch("delete", keys);
			}
			if (!connection.query("any", Map.of(), (row, number) -> true).isEmpty()) {
				this.needed = true;
			}
			return keys.size();
		}));
	}

}
