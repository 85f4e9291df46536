package io.github.distlock.backend.jdbc;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLTimeoutException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;

import io.github.distlock.backend.AttemptResult;
import io.github.distlock.backend.Grant;
import io.github.distlock.backend.Ticket;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.dao.DataAccessException;

/**
 * A ticket of the mode {@code row} and its transaction, which waits for the row, then
 * holds it until the transaction ends. The ticket works, then holds its row, then leaves;
 * a ticket that does not get the row leaves at once. Its worker thread alone changes it
 * from working to holding, and ends it if that fails; after that, whatever lets it leave
 * ends it.
 */
final class RowLock {

	private static final Log logger = LogFactory.getLog(RowLock.class);

	/**
	 * How long a statement waits for a row lock at most; the SQL files repeat the value.
	 */
	private static final Duration ROW_WAIT = Duration.ofSeconds(3);

	/** The clean-up locks a row for less than this. */
	private static final long CLEANUP_NANOS = 5_000_000;

	private static final int MAX_CLEANUP_WAITS = 2;

	/**
	 * A request to cancel is repeated: it has no effect on a statement that has not
	 * begun. If all are lost, the wait for the row ends by itself.
	 */
	private static final int CANCELLATIONS = 100;

	private static final long CANCELLATION_NANOS = 20_000_000;

	private static final State WORKING = new State(null);

	private static final State LEAVING = new State(null);

	final Ticket ticket;

	/** The result of the first attempt. */
	final CompletableFuture<AttemptResult> answer = new CompletableFuture<>();

	/** Completed when the connection has been returned. */
	final CompletableFuture<Boolean> ended = new CompletableFuture<>();

	/** Whether the worker thread still has to hold the row or to end this. */
	volatile boolean working = true;

	private final LockPool pool;

	private final Map<String, Object> key;

	private final Duration limit;

	/** Compared by identity. */
	private final AtomicReference<State> state = new AtomicReference<>(WORKING);

	/** Keeps the check of the session apart from the other commands of a holder. */
	private final ReentrantLock use = new ReentrantLock();

	private volatile @Nullable LockConnection connection;

	RowLock(Ticket ticket, LockPool pool, byte[] key, Duration limit) {
		this.ticket = ticket;
		this.pool = pool;
		// Also for the other statements: no caller waits for them longer than it should.
		this.limit = limit.plus(ROW_WAIT);
		this.key = Map.of("key", key, "ticket", ticket.token());
	}

	/** Notify that the row is locked. Returns {@code false} if the ticket has left. */
	boolean hold(Grant given) {
		return this.state.compareAndSet(WORKING, new State(given));
	}

	/** Return the grant, or {@code null} if the ticket does not hold its row. */
	@Nullable Grant grant() {
		return this.state.get().grant();
	}

	boolean isHolding() {
		return grant() != null;
	}

	boolean isLeaving() {
		return this.state.get() == LEAVING;
	}

	/**
	 * Give the ticket up, or notify that its session has ended. This comes before the row
	 * is freed, so that no caller takes the lock for held afterwards.
	 * @return the grant if the ticket held its row
	 */
	@Nullable Grant leave() {
		return this.state.getAndSet(LEAVING).grant();
	}

	/** Begin a transaction on a connection of the pool. */
	void open() throws SQLException {
		LockConnection opened = this.pool.open(this.limit);
		this.connection = opened;
		opened.begin();
	}

	/**
	 * Lock the row if it is free. Inserts the row if it is missing.
	 * @return the row, or {@code null} if another session has locked it
	 */
	@Nullable LockedRow take() {
		LockConnection session = session();
		for (int tries = 0;; tries++) {
			LockedRow row = lockRow(session, "take");
			if (row != null) {
				return row;
			}
			List<Boolean> idle = session.query("idle", this.key, (result, number) -> result.getInt(1) == 1);
			session.rollback();
			if (idle.isEmpty()) {
				insert(session);
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

	private void insert(LockConnection session) {
		try {
			session.update("insert", this.key);
			session.commit();
		}
		catch (DataAccessException ex) {
			if (!JdbcExceptionTranslator.isCollision(ex) && !JdbcExceptionTranslator.isLockTimeout(ex)
					&& !(ex.getCause() instanceof SQLTimeoutException)) {
				throw ex;
			}
			// Another session has just inserted the row, and may hold it.
			session.rollback();
		}
	}

	/**
	 * Wait for the row for up to three seconds.
	 * @return the row, or {@code null} if it is still locked, or was deleted
	 */
	@Nullable LockedRow await() {
		LockConnection session = session();
		updateIfPresent(session, "setLockTimeout");
		try {
			LockedRow row = lockRow(session, "await");
			// The statement may have waited for long.
			return (row == null) ? null : new LockedRow(false, row.fence(),
					session.query("clock", Map.of(), (result, number) -> result.getLong(1)).get(0));
		}
		catch (DataAccessException ex) {
			session.rollback();
			if (JdbcExceptionTranslator.isLockTimeout(ex)) {
				return null;
			}
			throw ex;
		}
		finally {
			updateIfPresent(session, "restoreLockTimeout");
		}
	}

	private void updateIfPresent(LockConnection session, String statement) {
		if (this.pool.statements().has(statement)) {
			session.update(statement, Map.of());
		}
	}

	/** Lock the row. A row with a lease of the other mode counts as locked. */
	private @Nullable LockedRow lockRow(LockConnection session, String statement) {
		List<LockedRow> rows = session.query(statement, this.key, LockedRow::read);
		return (!rows.isEmpty() && !rows.get(0).leased()) ? rows.get(0) : null;
	}

	private LockConnection session() {
		return Objects.requireNonNull(this.connection);
	}

	/**
	 * Write the last token and commit, which frees the row. Returns whether the row was
	 * locked until now.
	 */
	boolean finish(long fence) {
		this.use.lock();
		try {
			LockConnection session = session();
			session.update("freeRow", Map.of("key", Objects.requireNonNull(this.key.get("key")), "fence", fence));
			session.commit();
			return true;
		}
		catch (DataAccessException ex) {
			logger.debug("The transaction of a lock has ended before the release", ex);
			return false;
		}
		finally {
			this.use.unlock();
		}
	}

	/** Ask the database whether the session of a holder still exists. */
	boolean isAlive() {
		if (!this.use.tryLock()) {
			// A command is running, which will find out.
			return true;
		}
		try {
			LockConnection session = this.connection;
			return session != null && session.isAlive();
		}
		finally {
			this.use.unlock();
		}
	}

	/** Cancel the wait for the row. A server that does not answer blocks the thread. */
	void cancelWait() {
		try {
			for (int i = 0; i < CANCELLATIONS && !this.ended.isDone(); i++) {
				LockConnection session = this.connection;
				if (session != null) {
					session.cancel();
				}
				LockSupport.parkNanos(CANCELLATION_NANOS);
			}
		}
		catch (SQLException ex) {
			logger.debug("A wait for a row could not be cancelled; it ends by itself", ex);
		}
	}

	/** Return the connection, if there is one. */
	void close() {
		this.use.lock();
		try {
			LockConnection session = this.connection;
			this.connection = null;
			if (session != null) {
				session.close();
			}
		}
		finally {
			this.use.unlock();
		}
	}

	private record State(@Nullable Grant grant) {
	}

	/**
	 * A row that this transaction has locked.
	 *
	 * @param leased whether the row has a lease of the other mode
	 * @param fence the last token
	 * @param nowMicros a moment before the row was locked, or after it, by the clock of
	 * the database
	 */
	record LockedRow(boolean leased, long fence, long nowMicros) {

		private static LockedRow read(ResultSet row, int number) throws SQLException {
			return new LockedRow(!row.getString(1).isEmpty() && row.getLong(3) > 0, row.getLong(2), row.getLong(4));
		}

	}

}
