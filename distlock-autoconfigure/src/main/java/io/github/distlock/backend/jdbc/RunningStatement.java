package io.github.distlock.backend.jdbc;

import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.concurrent.locks.ReentrantLock;

import io.github.distlock.backend.TimeSource;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * The statement that a connection runs, which another thread may cancel. Thread-safe.
 */
final class RunningStatement {

	private static final Log logger = LogFactory.getLog(RunningStatement.class);

	/**
	 * Guards the statement, its begin and whether one was overdue. Also held while a
	 * statement is cancelled, which is a network call: so the thread of the statement
	 * continues only after the request has been sent, and the connection is not used for
	 * anything else meanwhile.
	 */
	private final ReentrantLock lock = new ReentrantLock();

	/** The statement that runs. */
	private @Nullable Statement statement;

	private final TimeSource clock;

	/** When the statement began, by the monotonic clock. */
	private long startNanos;

	/**
	 * Whether a statement was cancelled because it took too long. Never reset: some
	 * drivers cancel whatever the session runs when the request arrives, so the
	 * connection must not be used again.
	 */
	private boolean overdue;

	RunningStatement(TimeSource clock) {
		this.clock = clock;
	}

	/** Note that the calling thread is about to run a statement. */
	void begin(Statement running) {
		set(running, this.clock.nanoTime());
	}

	/** Note that the statement has ended. Waits while it is being cancelled. */
	void end() {
		set(null, 0);
	}

	private void set(@Nullable Statement running, long nanos) {
		this.lock.lock();
		try {
			this.statement = running;
			this.startNanos = nanos;
		}
		finally {
			this.lock.unlock();
		}
	}

	/** Cancel the statement, if one runs. */
	void cancel() throws SQLException {
		this.lock.lock();
		try {
			if (this.statement != null) {
				this.statement.cancel();
			}
		}
		finally {
			this.lock.unlock();
		}
	}

	/** Cancel the statement if it has run for at least this time. */
	void cancelAfter(Duration limit) {
		this.lock.lock();
		try {
			if (this.statement == null || this.clock.nanoTime() - this.startNanos < limit.toNanos()) {
				return;
			}
			this.overdue = true;
			this.statement.cancel();
		}
		catch (SQLException | RuntimeException ex) {
			logger.debug("A statement of the lock store could not be cancelled; the network time-out ends it", ex);
		}
		finally {
			this.lock.unlock();
		}
	}

	/** Return whether a statement was cancelled because it took too long. */
	boolean isOverdue() {
		this.lock.lock();
		try {
			return this.overdue;
		}
		finally {
			this.lock.unlock();
		}
	}

}
