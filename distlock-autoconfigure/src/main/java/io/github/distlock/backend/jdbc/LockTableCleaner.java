package io.github.distlock.backend.jdbc;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;

import io.github.distlock.backend.jdbc.JdbcCommand.Kind;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

/**
 * Deletes rows that nobody needs: free for ten seconds, and with a last token that the
 * clock has passed. Rows that somebody works with are passed over, so nobody waits for
 * it. Sends nothing while this JVM does not use the store and the table is empty.
 */
final class LockTableCleaner {

	private static final Log logger = LogFactory.getLog(LockTableCleaner.class);

	private static final long PERIOD_MILLIS = 4000;

	private static final long JITTER_MILLIS = 1000;

	private static final int FULL = 500;

	private final JdbcExecutor commands;

	/** Whether there may be rows. */
	private volatile boolean needed = true;

	LockTableCleaner(JdbcExecutor commands) {
		this.commands = commands;
	}

	void start(JdbcThreads threads) {
		long jitter = ThreadLocalRandom.current().nextLong(JITTER_MILLIS);
		threads.every(Duration.ofMillis(PERIOD_MILLIS + jitter), this::clean);
	}

	/** A row was made or kept. */
	void rowUsed() {
		if (!this.needed) {
			this.needed = true;
		}
	}

	private void clean() {
		if (!this.needed) {
			return;
		}
		// Before looking: who makes a row from now on says so again.
		this.needed = false;
		try {
			while (cleanOnce() == FULL) {
				logger.debug("Many locks were forgotten; there may be more");
			}
		}
		catch (RuntimeException | Error ex) {
			this.needed = true;
			logger.debug("Rows of locks that nobody uses could not be deleted, and stay until the next time", ex);
		}
	}

	private int cleanOnce() {
		return this.commands.run(Kind.MAINTENANCE, "clean-up", null, (connection, sent) -> {
			List<Map<String, byte[]>> keys = connection.query("stale", Map.of(),
					(row, number) -> Map.of("key", row.getBytes(1)));
			if (!keys.isEmpty()) {
				connection.batch("delete", keys);
			}
			if (!connection.query("any", Map.of(), (row, number) -> true).isEmpty()) {
				this.needed = true;
			}
			return keys.size();
		});
	}

}
