package io.github.distlock.backend.jdbc;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLTimeoutException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;

import io.github.distlock.backend.Ticket;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.dao.DataAccessException;

/**
 * The transaction of one lock in the mode {@code row}: it waits for the row, then holds
 * the row until it ends. One thread begins it and another one ends it, so it is not
 * managed by Spring; see {@link LockConnection#begin()}. The lock of this class keeps the
 * check of the session apart from the other commands. No thread waits for it longer than
 * a command takes.
 */
final class RowTransaction {

	private static final Log logger = LogFactory.getLog(RowTransaction.class);

	/**
	 * How long a statement waits for a row lock at most; the SQL files repeat the value.
	 */
	private static final Duration ROW_WAIT = Duration.ofSeconds(3);

	/**
	 * PostgreSQL cuts the name of a session, {@code lock TICKET TOKEN}, after 63 bytes. A
	 * token has 16 digits.
	 */
	private static final int MAX_SHOWN = 63 - "lock ".length() - " ".length() - 16;

	/** Interval between attempts if the database cannot wait for a row. */
	private static final long POLL_NANOS = 20_000_000;

	/** Number of polls before other tickets get a turn. */
	private static final int MAX_POLLS = 50;

	/** The clean-up locks a row for less than this. */
	private static final long CLEANUP_NANOS = 5_000_000;

	private static final int MAX_CLEANUP_WAITS = 2;

	private final LockConnection connection;

	private final JdbcDialect dialect;

	private final SqlStatements statements;

	private final Map<String, ?> key;

	private final Duration limit;

	private final ReentrantLock lock = new ReentrantLock();

	/** Whether a request to cancel is under way. */
	private final AtomicBoolean cancelling = new AtomicBoolean();

	private RowTransaction(LockConnection connection, LockPool pool, Duration limit, byte[] key, String ticket) {
		this.connection = connection;
		this.dialect = pool.dialect();
		this.statements = pool.statements();
		this.limit = limit;
		this.key = Map.of("key", key, "ticket", ticket);
	}

	/**
	 * Take a connection of the pool and begin a transaction. Both, and the first
	 * statement, share one command time-out.
	 * @param ticket the ticket, whose name some databases show to operators
	 */
	static RowTransaction open(LockPool pool, Duration limit, byte[] key, Ticket ticket) throws SQLException {
		LockConnection connection = pool.open(true, limit);
		try {
			connection.begin();
			return new RowTransaction(connection, pool, limit, key, shownName(ticket.token()));
		}
		catch (Throwable ex) {
			connection.discard();
			throw ex;
		}
	}

	/**
	 * Shorten application and host in the name of a ticket if the name of the session
	 * would be too long with it. The rest names the JVM.
	 */
	static String shownName(String ticket) {
		int at = ticket.indexOf('@');
		int end = ticket.indexOf(':', at);
		if (ticket.length() <= MAX_SHOWN || at < 0) {
			return ticket;
		}
		int room = Math.max(0, MAX_SHOWN - 1 - (ticket.length() - end));
		String application = ticket.substring(0, Math.min(at, Math.max(room / 2, room - (end - at - 1))));
		String host = ticket.substring(at + 1, Math.min(end, at + 1 + room - application.length()));
		return application + '@' + host + ticket.substring(end);
	}

	/**
	 * Lock the row if it is free. Inserts the row if it is missing.
	 * @return the row, or {@code null} if another session has locked it
	 */
	@Nullable LockedRow take() {
		for (int tries = 0;; tries++) {
			LockedRow row = lockRow("take");
			limit(this.limit);
			if (row != null) {
				return row;
			}
			List<Boolean> idle = this.connection.query("idle", this.key, (result, number) -> result.getInt(1) == 1);
			this.connection.rollback();
			if (idle.isEmpty()) {
				insert();
			}
			else if (!idle.get(0) || tries >= MAX_CLEANUP_WAITS) {
				return null;
			}
			else {
				// Unused for long: the clean-up may have locked it.
				LockSupport.parkNanos(CLEANUP_NANOS);
			}
		}
	}

	private void insert() {
		try {
			this.connection.update("insert", this.key);
			this.connection.commit();
		}
		catch (DataAccessException ex) {
			if (!JdbcExceptionTranslator.isCollision(ex) && !this.dialect.isLockTimeout(ex)
					&& !(ex.getCause() instanceof SQLTimeoutException)) {
				throw ex;
			}
			// Another session has just inserted the row, and may hold it.
			this.connection.rollback();
		}
	}

	/**
	 * Wait for the row for up to three seconds.
	 * @param cancelled whether the ticket was given up meanwhile
	 * @return the row, or {@code null} if it is still locked
	 */
	@Nullable LockedRow await(BooleanSupplier cancelled) {
		if (!this.dialect.waitsForRows()) {
			return poll(cancelled);
		}
		try {
			updateIfPresent("setLockTimeout");
			limit(this.limit.plus(ROW_WAIT));
			LockedRow row = lockRow("await");
			limit(this.limit);
			if (row == null) {
				// The row was deleted meanwhile, or has a lease of the other mode.
				this.connection.rollback();
				LockSupport.parkNanos(POLL_NANOS);
				row = take();
			}
			return (row != null) ? row.at(clockMicros(row.fence())) : null;
		}
		catch (DataAccessException ex) {
			this.connection.rollback();
			if (this.dialect.isLockTimeout(ex)) {
				return null;
			}
			throw ex;
		}
		finally {
			updateIfPresent("restoreLockTimeout");
		}
	}

	private void updateIfPresent(String statement) {
		if (this.statements.has(statement)) {
			this.connection.update(statement, Map.of());
		}
	}

	private @Nullable LockedRow poll(BooleanSupplier cancelled) {
		for (int i = 0; i < MAX_POLLS && !cancelled.getAsBoolean(); i++) {
			LockSupport.parkNanos(POLL_NANOS);
			LockedRow row = take();
			if (row != null) {
				return row;
			}
		}
		return null;
	}

	/** Lock the row. A row with a lease of the other mode counts as locked. */
	private @Nullable LockedRow lockRow(String statement) {
		List<LockedRow> rows = this.connection.query(statement, this.key, LockedRow::read);
		return (!rows.isEmpty() && !rows.get(0).leased()) ? rows.get(0) : null;
	}

	private void limit(Duration longest) {
		try {
			this.connection.limit(longest);
		}
		catch (SQLException ex) {
			throw JdbcExceptionTranslator.dataAccessException("limit", ex);
		}
	}

	/**
	 * Return the time of the database, which may have waited for the row for long.
	 * @param fence the last token before this transaction, for the name of the session
	 */
	private long clockMicros(long fence) {
		Map<String, ?> values = Map.of("ticket", Objects.requireNonNull(this.key.get("ticket")), "fence", fence);
		return this.connection.query("clock", values, (row, number) -> row.getLong(1)).get(0);
	}

	/** Write the last token and commit, which frees the row. */
	void finish(long fence) {
		this.lock.lock();
		try {
			this.connection.update("freeRow", Map.of("key", this.key.get("key"), "fence", fence));
			this.connection.commit();
		}
		finally {
			this.lock.unlock();
		}
	}

	/** Ask the database whether the session of this transaction still exists. */
	boolean isAlive() {
		if (!this.lock.tryLock()) {
			// A command is running, which will find out.
			return true;
		}
		try {
			return this.connection.isAlive();
		}
		finally {
			this.lock.unlock();
		}
	}

	/**
	 * Request that the database cancels the wait for the row.
	 * @param threads may be blocked for long
	 */
	void cancel(Executor threads) {
		if (!this.cancelling.compareAndSet(false, true)) {
			return;
		}
		threads.execute(() -> {
			try {
				this.connection.cancel();
			}
			catch (SQLException ex) {
				logger.debug("A wait for a row could not be cancelled; it ends by itself", ex);
			}
			finally {
				this.cancelling.set(false);
			}
		});
	}

	void close() {
		this.lock.lock();
		try {
			this.connection.close();
		}
		finally {
			this.lock.unlock();
		}
	}

	void discard() {
		this.connection.discard();
	}

	/**
	 * A row that this transaction has locked.
	 *
	 * @param leased whether the row has a lease of the other mode
	 * @param fence the last token
	 * @param nowMicros when the statement began, by the clock of the database
	 */
	record LockedRow(boolean leased, long fence, long nowMicros) {

		private LockedRow at(long micros) {
			return new LockedRow(this.leased, this.fence, micros);
		}

		private static LockedRow read(ResultSet row, int number) throws SQLException {
			return new LockedRow(!row.getString(1).isEmpty() && row.getLong(3) > 0, row.getLong(2), row.getLong(4));
		}

	}

}
