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

import javax.sql.DataSource;

import io.github.distlock.HeldLock;
import io.github.distlock.LockBackendException;
import io.github.distlock.LockException;
import io.github.distlock.LockNotAcquiredException;
import org.jspecify.annotations.Nullable;

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

	/** A caller of this JVM has a lock, and waits for other JVMs until a deadline. */
	void add(HeldLock lock, long deadlineNanos, boolean waitsForever) {
		this.acquisitions.put(lock, new Acquisition(deadlineNanos, waitsForever, new AtomicReference<>()));
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
	 * Resolve the name of the table in PostgreSQL, as a connection of the application
	 * does before anything has set its schema. If that fails, the first transaction does.
	 */
	void resolve() {
		try (Connection connection = this.dataSource.getConnection()) {
			if ("postgresql".equals(FenceTable.platform(connection))) {
				this.statement.resolve(connection);
			}
		}
		catch (SQLException ex) {
			// That transaction reports it, if it fails as well.
		}
	}

	boolean isRefusal(HeldLock lock, Throwable failure) {
		Acquisition acquisition = this.acquisitions.get(lock);
		return acquisition != null && acquisition.outcome.get() == failure;
	}

	/**
	 * Take a lock in a transaction, until that ends.
	 * @throws LockException if the transaction does not have the lock
	 */
	void take(Connection connection, HeldLock lock, String key, boolean isFirst, @Nullable Duration timeout) {
		Acquisition acquisition = Objects.requireNonNull(this.acquisitions.get(lock));
		String message = "Lock '" + key + "' was not acquired: ";
		LockException refusal;
		try {
			long rest = Math.max(0, (acquisition.deadlineNanos - System.nanoTime() + 999_999) / 1_000_000);
			long limit = (timeout != null) ? timeout.toMillis() : -1;
			long wait = acquisition.waitsForever ? limit : (limit < 0) ? rest : Math.min(limit, rest);
			if (this.statement.take(connection, key, wait, isFirst)) {
				acquisition.outcome.set(TAKEN);
				return;
			}
			refusal = new LockNotAcquiredException(message + BUSY);
		}
		catch (SQLException ex) {
			refusal = FenceTable.isLockTimeout(ex) ? new LockNotAcquiredException(message + BUSY)
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
	 * @param deadlineNanos when the wait for other JVMs ends
	 * @param waitsForever whether there is no such end
	 * @param outcome {@link #TAKEN} once a transaction has had it, or the last refusal
	 */
	private record Acquisition(long deadlineNanos, boolean waitsForever, AtomicReference<Object> outcome) {
	}

}
