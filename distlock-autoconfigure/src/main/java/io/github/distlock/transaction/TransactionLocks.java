package io.github.distlock.transaction;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Collections;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.WeakHashMap;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BiConsumer;

import javax.sql.DataSource;

import io.github.distlock.HandOff;
import io.github.distlock.HeldLock;
import io.github.distlock.LockBackendException;
import io.github.distlock.LockException;
import io.github.distlock.LockListener.Attempted;
import io.github.distlock.LockNotAcquiredException;
import io.github.distlock.LockOutcome;
import io.github.distlock.LockRequest;

import org.springframework.jdbc.datasource.ConnectionHolder;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * The locks of the store {@code transaction} that callers of this JVM have among
 * themselves. Other JVMs are excluded when a transaction {@linkplain #take takes} one.
 * Thread-safe.
 */
public final class TransactionLocks {

	/** The name of the store. */
	public static final String STORE = "transaction";

	/** PostgreSQL: deadlock_detected; MariaDB, MySQL and H2 in a statement for a row. */
	private static final Set<String> DEADLOCKS = Set.of("40P01", "40001");

	private static final String BUSY = "a transaction of another application instance has had it for the whole wait time";

	private static final String CIRCLE = "transactions waited for each other in a circle, which the database has broken."
			+ " Take locks and rows in one order, and repeat the transaction";

	private static final Object TAKEN = new Object();

	private final DataSource dataSource;

	private final LockStatement statement;

	/**
	 * Of a transaction that begins inside of a lock. Until the database is known, any.
	 */
	private volatile int highestIsolation = Connection.TRANSACTION_SERIALIZABLE;

	/** By identity, as long as the caller has the lock. Guarded by its own lock. */
	private final Map<HeldLock, Acquisition> acquisitions = Collections.synchronizedMap(new WeakHashMap<>());

	/**
	 * Create the locks.
	 * @param dataSource the bean of the application for the database
	 * @param keyPrefix the prefix of all keys
	 * @param table the name of the table of the locks
	 */
	public TransactionLocks(DataSource dataSource, String keyPrefix, String table) {
		this.dataSource = dataSource;
		this.statement = new LockStatement(keyPrefix, table);
	}

	DataSource dataSource() {
		return this.dataSource;
	}

	int highestIsolation() {
		return this.highestIsolation;
	}

	/** A caller of this JVM has a lock. */
	void add(HeldLock lock, LockRequest request, long startNanos, Duration waitTime, boolean skippable) {
		this.acquisitions.put(lock, new Acquisition(request, startNanos, waitTime, skippable, new AtomicReference<>()));
	}

	boolean contains(HeldLock lock) {
		return this.acquisitions.containsKey(lock);
	}

	/** Whether a transaction has had it, or is covered by one of its thread that has. */
	boolean isTaken(HeldLock lock) {
		Acquisition acquisition = this.acquisitions.get(lock);
		return acquisition == null || acquisition.outcome.get() == TAKEN;
	}

	/** A transaction need not take a lock, since another one of its thread has it. */
	void cover(HeldLock lock) {
		Objects.requireNonNull(this.acquisitions.get(lock)).outcome.set(TAKEN);
	}

	/**
	 * Whether the connection of this thread is in a transaction, also in one that has
	 * just ended or whose callbacks are suspended.
	 */
	boolean isInTransaction() {
		try {
			return TransactionSynchronizationManager.getResource(this.dataSource) instanceof ConnectionHolder holder
					&& !holder.getConnection().getAutoCommit();
		}
		catch (SQLException ex) {
			return true;
		}
	}

	/**
	 * Learn what the database is, and resolve the name of the table in PostgreSQL, as a
	 * connection of the application does before anything has set its schema. If that
	 * fails, the first transaction does.
	 */
	void resolve() {
		try (Connection connection = this.dataSource.getConnection()) {
			String platform = String.valueOf(FenceTable.platform(connection));
			this.highestIsolation = LockStatement.SNAPSHOTS_LATER.contains(platform)
					? Connection.TRANSACTION_SERIALIZABLE : Connection.TRANSACTION_READ_COMMITTED;
			if (platform.equals("postgresql")) {
				this.statement.resolve(connection);
			}
		}
		catch (SQLException ex) {
			// That transaction reports it, if it fails as well.
		}
	}

	/**
	 * Whether an exception is the refusal of the database, of which the listeners are
	 * notified then. An equal one is not.
	 */
	boolean refused(HeldLock lock, Throwable failure, BiConsumer<Attempted, LockRequest> listeners) {
		Acquisition acquisition = this.acquisitions.get(lock);
		if (acquisition == null || acquisition.outcome.get() != failure) {
			return false;
		}
		LockRequest request = acquisition.request;
		LockOutcome outcome = !(failure instanceof LockNotAcquiredException) ? LockOutcome.BACKEND_ERROR
				: acquisition.skippable ? LockOutcome.SKIPPED : LockOutcome.TIMEOUT;
		listeners.accept(new Attempted(STORE, request.label(), request.key(), outcome,
				Duration.ofNanos(System.nanoTime() - acquisition.startNanos), HandOff.NONE, 0), request);
		return true;
	}

	/**
	 * Take a lock in a transaction, until that ends.
	 * @param longest the rest of the time of the transaction
	 * @throws LockException if the transaction does not have the lock
	 */
	void take(Connection connection, HeldLock lock, String key, boolean isFirst, Duration longest) {
		Acquisition acquisition = Objects.requireNonNull(this.acquisitions.get(lock));
		String message = "Lock '" + key + "' was not acquired: ";
		LockException refusal;
		try {
			if (this.statement.take(connection, key, () -> acquisition.restMillis(longest), isFirst)) {
				acquisition.outcome.set(TAKEN);
				return;
			}
			refusal = new LockNotAcquiredException(message + BUSY);
		}
		catch (SQLException ex) {
			refusal = LockStatement.isTimeout(ex) ? new LockNotAcquiredException(message + BUSY)
					: DEADLOCKS
						.contains(String.valueOf(ex.getSQLState()))
								? new LockNotAcquiredException(message + CIRCLE, ex)
								: new LockBackendException(
										message + ex.getMessage() + ". Apart from PostgreSQL, the database"
												+ " needs the table distlock_lock (distlock.jdbc.initialize-schema)",
										ex);
		}
		// Otherwise an earlier transaction of the call has had it, and has done its work.
		if (acquisition.outcome.get() != TAKEN) {
			acquisition.outcome.set(refusal);
		}
		throw refusal;
	}

	/**
	 * A lock that is held in this JVM.
	 *
	 * @param request with the prefix of its key
	 * @param startNanos when its caller requested it
	 * @param waitTime how long it waits since then, without a limit if it is negative
	 * @param skippable whether a lock that is not free is no exception
	 * @param outcome {@link #TAKEN} once a transaction has had it, or the last refusal
	 */
	private record Acquisition(LockRequest request, long startNanos, Duration waitTime, boolean skippable,
			AtomicReference<Object> outcome) {

		int restMillis(Duration longest) {
			Duration rest = this.waitTime.minusNanos(System.nanoTime() - this.startNanos);
			Duration limit = (this.waitTime.isNegative() || rest.compareTo(longest) > 0) ? longest : rest;
			return (int) Math.max(0, Math.min(limit.plusNanos(999_999).toMillis(), Integer.MAX_VALUE));
		}

	}

}
