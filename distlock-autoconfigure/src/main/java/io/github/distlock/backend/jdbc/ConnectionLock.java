package io.github.distlock.backend.jdbc;

import java.sql.ResultSet;
import java.sql.SQLException;
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
import io.github.distlock.backend.TimeSource;
import io.github.distlock.backend.Validity;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.dao.DataAccessException;

/**
 * A ticket of the mode {@code connection} and its transaction, which tries to take the
 * lock of the database, waits for it, then holds it until the transaction ends. The lock
 * is an advisory lock on PostgreSQL, and a row elsewhere: the statements differ, and a
 * row has to be inserted first and gets the last token.
 * <p>
 * The ticket works, then holds the lock, then leaves; a ticket that does not get the lock
 * leaves at once. The thread that works alone changes it from working to holding, and
 * ends it if that fails; after that, whatever lets it leave ends it.
 * <p>
 * PostgreSQL ends a session whose last statement is older than the lease. So the grant is
 * valid for the lease, less the margin, from before the last statement was sent. The
 * other databases have no such limit.
 */
final class ConnectionLock {

	private static final Log logger = LogFactory.getLog(ConnectionLock.class);

	/**
	 * When a waiting ticket attempts again. If it waits in the database that sends
	 * nothing, and its grant is signalled.
	 */
	static final Duration RETRY = Duration.ofMillis(100);

	/**
	 * How long a statement waits for a lock at most: 10 s on PostgreSQL, 3 s elsewhere.
	 * The SQL files repeat the values.
	 */
	private static final Duration LONGEST_WAIT = Duration.ofSeconds(10);

	/** The checks of each second must extend the validity in time. */
	private static final Duration SHORTEST_LEASE = Duration.ofSeconds(5);

	/**
	 * A request to cancel is repeated: it has no effect on a statement that has not
	 * begun. If all are lost, the wait for the lock ends by itself.
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

	/** Whether a thread still has to take the lock or to end this. */
	volatile boolean working = true;

	private final JdbcStore store;

	private final Duration lease;

	/** Compared by identity. */
	private final AtomicReference<State> state = new AtomicReference<>(WORKING);

	/** Keeps the check of the session apart from the other commands of a holder. */
	private final ReentrantLock use = new ReentrantLock();

	private volatile @Nullable LockConnection connection;

	/** The parameters of the statements. Set with the connection. */
	private Map<String, Object> values = Map.of();

	/** How long the session is certain to live if it gets no other statement. */
	private volatile Validity confirmed = Validity.session(() -> 0);

	ConnectionLock(Ticket ticket, Duration lease, JdbcStore store) {
		this.ticket = ticket;
		this.lease = (lease.compareTo(SHORTEST_LEASE) < 0) ? SHORTEST_LEASE : lease;
		this.store = store;
	}

	/** Return the grant, or {@code null} if the ticket does not hold the lock. */
	@Nullable Grant grant() {
		return this.state.get().grant();
	}

	/**
	 * Give the ticket up, or notify that its session has ended. This comes before the
	 * lock is freed, so that no caller takes the lock for held afterwards.
	 * @return the grant if the ticket held the lock
	 */
	@Nullable Grant leave() {
		return this.state.getAndSet(LEAVING).grant();
	}

	/**
	 * Begin a transaction that takes the lock if it is free, on a connection of the pool.
	 * @return whether the ticket holds the lock
	 */
	boolean take() throws SQLException {
		LockConnection session = this.store.pool.open(this.store.settings.commandTimeout());
		this.connection = session;
		long number = hasRows() ? 0 : this.store.advisory.number(session, this.ticket.key());
		this.values = Map.of("key", this.store.table.key(this.ticket.key()), "number", number, "self",
				this.ticket.instance(), "lease", this.lease.toMillis());
		session.begin();
		return takeNow(session);
	}

	/**
	 * Wait in the database for the lock, if the database can.
	 * @return whether the ticket holds the lock
	 */
	boolean await() throws SQLException {
		if (!this.store.pool.statements().has("await") || this.state.get() != WORKING) {
			return false;
		}
		LockConnection session = Objects.requireNonNull(this.connection);
		session.limit(this.store.settings.commandTimeout().plus(LONGEST_WAIT));
		try {
			session.update("await", this.values);
		}
		catch (DataAccessException ex) {
			if (!JdbcExceptionTranslator.isLockTimeout(ex)) {
				throw ex;
			}
		}
		session.limit(this.store.settings.commandTimeout());
		// The session has the lock already, or the wait was in vain.
		return this.state.get() == WORKING && takeNow(session);
	}

	private boolean takeNow(LockConnection session) {
		TimeSource.Instant sent = this.store.commands.clock.now();
		LockedRow row = takeOrInsert(session);
		if (row == null) {
			return false;
		}
		this.confirmed = Validity.until(sent, this.lease);
		long token = Math.max(row.fence() + 1, row.nowMicros());
		Grant grant = new Grant(token, token, Validity.session(this::remainingNanos));
		boolean held = this.state.compareAndSet(WORKING, new State(grant));
		if (held && !this.answer.complete(grant)) {
			this.store.signals.granted(this.ticket, grant);
		}
		return held;
	}

	/** No limit while the session is certain to live: it may end earlier. */
	private long remainingNanos() {
		return (grant() != null && (hasRows() || !this.confirmed.hasPassed(this.store.commands.clock))) ? Long.MAX_VALUE
				: 0;
	}

	/** Whether a lock is a row. Known after the first connection. */
	private boolean hasRows() {
		return this.store.pool.dialect() != JdbcDialect.POSTGRESQL;
	}

	/** Take the lock if it is free. Inserts the row if it is missing. */
	private @Nullable LockedRow takeOrInsert(LockConnection session) {
		LockedRow row = lockRow(session);
		if (row == null && hasRows() && session.query("probe", this.values, (result, number) -> true).isEmpty()) {
			try {
				session.update("insert", this.values);
			}
			catch (DataAccessException ex) {
				// Otherwise another session has just inserted the row, and may hold it.
				if (!JdbcExceptionTranslator.isCollision(ex) && !JdbcExceptionTranslator.isLockTimeout(ex)) {
					throw ex;
				}
			}
			session.commit();
			row = lockRow(session);
		}
		return row;
	}

	/** Take the lock. A row with a lease of the other mode counts as locked. */
	private @Nullable LockedRow lockRow(LockConnection session) {
		List<LockedRow> rows = session.query("take", this.values, LockedRow::read);
		return (!rows.isEmpty() && !rows.get(0).leased()) ? rows.get(0) : null;
	}

	/**
	 * Commit, which frees the lock. A row gets the last token. Returns whether the lock
	 * was held until now.
	 */
	boolean finish(long fence) {
		this.use.lock();
		try {
			LockConnection session = Objects.requireNonNull(this.connection);
			if (hasRows()) {
				session.update("freeRow", Map.of("key", this.store.table.key(this.ticket.key()), "fence", fence));
			}
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
			TimeSource.Instant sent = this.store.commands.clock.now();
			boolean alive = session != null && session.isAlive();
			if (alive) {
				this.confirmed = Validity.until(sent, this.lease);
			}
			return alive;
		}
		finally {
			this.use.unlock();
		}
	}

	/** Cancel the wait for the lock. A server that does not answer blocks the thread. */
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
			logger.debug("A wait for a lock could not be cancelled; it ends by itself", ex);
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
	 * A row that this transaction has locked, or an advisory lock that looks like one.
	 *
	 * @param leased whether the row has a lease of the other mode
	 * @param fence the last token
	 * @param nowMicros a moment before the row was locked, or after it, by the clock of
	 * the database. Of an advisory lock a moment after it was taken
	 */
	record LockedRow(boolean leased, long fence, long nowMicros) {

		private static LockedRow read(ResultSet row, int number) throws SQLException {
			return new LockedRow(!row.getString(1).isEmpty() && row.getLong(3) > 0, row.getLong(2), row.getLong(4));
		}

	}

}
