package io.github.distlock.backend.jdbc;

import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;

import io.github.distlock.backend.AttemptResult;
import io.github.distlock.backend.Grant;
import io.github.distlock.backend.StoreSession;
import io.github.distlock.backend.Ticket;
import io.github.distlock.backend.TimeSource;
import io.github.distlock.backend.Validity;
import io.github.distlock.thread.LockLog;
import org.apache.commons.logging.Log;
import org.jspecify.annotations.Nullable;

import org.springframework.dao.DataAccessException;
import org.springframework.dao.support.DataAccessUtils;
import org.springframework.jdbc.core.RowMapper;

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
 * valid for the lease, less the margin, from before the last statement was sent, even if
 * that statement has waited for the lock. The other databases have no such limit: there
 * the grant is valid until a check of the session fails or does not return. A pause of
 * this JVM is no reason, since the session owns its row meanwhile.
 */
final class ConnectionLock implements StoreSession {

	private static final Log logger = LockLog.of(ConnectionLock.class);

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

	private static final RowMapper<Long> TOKEN = (row, number) -> row.getLong(1);

	private static final State WORKING = new State(null);

	private static final State LEAVING = new State(null);

	final Ticket ticket;

	/** The result of the first attempt. */
	final CompletableFuture<AttemptResult> answer = new CompletableFuture<>();

	/** Completed when the connection has been returned. */
	final CompletableFuture<Boolean> ended = new CompletableFuture<>();

	/** Whether a thread still has to take the lock or to end this. */
	volatile boolean working = true;

	private final JdbcConnectionStore store;

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

	ConnectionLock(Ticket ticket, Duration lease, JdbcConnectionStore store) {
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
		session.begin();
		this.values = hasRows() ? Map.of("key", this.store.table.key(this.ticket.key()))
				: this.store.advisory.prepare(session, this.ticket, this.lease);
		return takeNow(session, "take");
	}

	/**
	 * Wait in the database for the lock, if the database can. Fails if the time of a wait
	 * for a row has passed.
	 * @return whether the ticket holds the lock
	 */
	boolean await() throws SQLException {
		if (!this.store.pool.statements().has("await") || this.state.get() != WORKING) {
			return false;
		}
		LockConnection session = Objects.requireNonNull(this.connection);
		session.limit(this.store.settings.commandTimeout().plus(LONGEST_WAIT));
		if (hasRows()) {
			session.update("await", this.values);
		}
		// The token of a row is the clock of a statement that begins after the wait.
		return takeNow(session, hasRows() ? "take" : "await");
	}

	private boolean takeNow(LockConnection session, String statement) throws SQLException {
		TimeSource.Instant sent = this.store.commands.clock.now();
		Long token = takeOrInsert(session, statement);
		session.limit(this.store.settings.commandTimeout());
		this.confirmed = Validity.until(sent, this.lease);
		// After a long wait, little of the validity is left.
		boolean waited = this.confirmed.remainingNanos(this.store.commands.clock) < this.lease.toNanos() / 2;
		if (token == null || (waited && !isAlive())) {
			return false;
		}
		Grant grant = new Grant(token, token, Validity.session(this));
		boolean held = this.state.compareAndSet(WORKING, new State(grant));
		if (held && !this.answer.complete(grant)) {
			this.store.signals.granted(this.ticket, grant);
		}
		return held;
	}

	@Override
	public long remainingNanos() {
		return (grant() == null) ? 0
				: hasRows() ? Long.MAX_VALUE : this.confirmed.remainingNanos(this.store.commands.clock);
	}

	/** An administrator, a restart or a broken connection ends it. */
	@Override
	public boolean mayEndEarlier() {
		return true;
	}

	/** Whether a lock is a row. Known after the first connection. */
	private boolean hasRows() {
		return this.store.pool.dialect() != JdbcDialect.POSTGRESQL;
	}

	/**
	 * Take the lock if it is free. Inserts the row if it is missing.
	 * @return the token of the grant, {@code null} if the lock is held
	 */
	private @Nullable Long takeOrInsert(LockConnection session, String statement) {
		List<Long> tokens = session.query(statement, this.values, TOKEN);
		if (tokens.isEmpty() && hasRows() && session.query("probe", this.values, (row, number) -> true).isEmpty()) {
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
			tokens = session.query(statement, this.values, TOKEN);
		}
		return DataAccessUtils.singleResult(tokens);
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

	/**
	 * Wait until no other thread uses the connection, for one command time-out at most.
	 * @return whether this thread may use it, and has to unlock it
	 */
	private boolean awaitUse() {
		try {
			return this.use.tryLock(this.store.settings.commandTimeout().toNanos(), TimeUnit.NANOSECONDS);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			return this.use.tryLock();
		}
	}

	/**
	 * Ask the database whether the session of a holder still exists. A check that is
	 * running is awaited, since its answer may be older than this question. If it does
	 * not return, the session counts as ended.
	 */
	boolean isAlive() {
		if (!awaitUse()) {
			return false;
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

	/**
	 * Return the connection, if there is one. It is cut off if a check does not return.
	 */
	void close() {
		boolean unused = awaitUse();
		try {
			LockConnection session = this.connection;
			this.connection = null;
			if (session != null && unused) {
				session.close();
			}
			else if (session != null) {
				session.cutOff();
			}
		}
		finally {
			if (unused) {
				this.use.unlock();
			}
		}
	}

	private record State(@Nullable Grant grant) {
	}

}
