package io.github.distlock.backend.jdbc;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLTimeoutException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;

import org.jspecify.annotations.Nullable;

import org.springframework.dao.DataAccessException;

/**
 * A connection that waits for a row, then holds it by an open transaction. The lock keeps
 * its commands apart from the look whether it lives; no one waits for it longer than a
 * command takes.
 */
final class RowTransaction {

	/** As the statements have it; shorter than a cancellation takes at most. */
	private static final int WAIT_SECONDS = LockDataSource.ROW_WAIT_SECONDS;

	/** Who cannot wait in the database looks this often. */
	private static final long LOOK_NANOS = 20_000_000;

	/** Clean-up keeps a row for less. */
	private static final long CLEANUP_NANOS = 5_000_000;

	private final LockConnection connection;

	private final JdbcDialect dialect;

	private final SqlStatements statements;

	private final Map<String, ?> key;

	private final ReentrantLock lock = new ReentrantLock();

	private RowTransaction(LockConnection connection, LockDataSource source, byte[] key) {
		this.connection = connection;
		this.dialect = source.dialect();
		this.statements = source.statements();
		this.key = Map.of("key", key);
	}

	/** Take a connection, and begin. */
	static RowTransaction open(LockDataSource source, byte[] key) throws SQLException {
		LockConnection connection = source.open(true);
		try {
			connection.begin();
			return new RowTransaction(connection, source, key);
		}
		catch (Throwable ex) {
			connection.discard();
			throw ex;
		}
	}

	/**
	 * Take the row if nobody has it; make it first if there is none.
	 * @return the row, or {@code null} if somebody has it
	 */
	@Nullable LockedRow take() {
		for (int tries = 0;; tries++) {
			LockedRow row = lockable("take");
			if (row != null) {
				return row;
			}
			List<Boolean> idle = this.connection.query("idle", this.key, (result, number) -> result.getInt(1) == 1);
			this.connection.rollback();
			if (idle.isEmpty()) {
				make();
			}
			else if (!idle.get(0) || tries > 1) {
				return null;
			}
			else {
				// Nobody has used it for long: the clean-up may have it.
				LockSupport.parkNanos(CLEANUP_NANOS);
			}
		}
	}

	private void make() {
		try {
			this.connection.update("make", this.key);
			this.connection.commit();
		}
		catch (DataAccessException ex) {
			if (!JdbcExceptionTranslator.isCollision(ex) && !this.dialect.isLockTimeout(ex)
					&& !(ex.getCause() instanceof SQLTimeoutException)) {
				throw ex;
			}
			// Somebody else has just made it, and may have it.
			this.connection.rollback();
		}
	}

	/**
	 * Wait until the row is ours, for some seconds.
	 * @param leaving whether nobody wants it any more
	 * @return the row, or {@code null} if it was not had
	 */
	@Nullable LockedRow await(BooleanSupplier leaving) {
		boolean patience = this.statements.has("patience");
		if (!this.dialect.waitsForRows()) {
			return look(leaving);
		}
		try {
			if (patience) {
				this.connection.update("patience", Map.of());
			}
			this.connection.limitNetwork((WAIT_SECONDS + 3) * 1000);
			LockedRow row = lockable("await");
			if (row == null) {
				// It was deleted while we waited, or has a lease.
				this.connection.rollback();
				LockSupport.parkNanos(LOOK_NANOS);
				return take();
			}
			return row;
		}
		catch (DataAccessException ex) {
			this.connection.rollback();
			if (this.dialect.isLockTimeout(ex)) {
				return null;
			}
			throw ex;
		}
		finally {
			if (this.statements.has("impatience")) {
				this.connection.update("impatience", Map.of());
			}
		}
	}

	private @Nullable LockedRow look(BooleanSupplier leaving) {
		for (int i = 0; i < 50 && !leaving.getAsBoolean(); i++) {
			LockSupport.parkNanos(LOOK_NANOS);
			LockedRow row = take();
			if (row != null) {
				return row;
			}
		}
		return null;
	}

	/** Lock the row; one that has a lease by the other mode does not count. */
	private @Nullable LockedRow lockable(String statement) {
		List<LockedRow> rows = this.connection.await(statement, this.key, LockedRow::read);
		return (!rows.isEmpty() && !rows.get(0).leased()) ? rows.get(0) : null;
	}

	/** Ask the database for the time, now that the row is ours. */
	long clockMicros() {
		return this.connection.query("clock", Map.of(), (row, number) -> row.getLong(1)).get(0);
	}

	/** Write the last token, and let the row go. */
	void finish(long fence) {
		this.lock.lock();
		try {
			this.connection.update("settle", Map.of("key", this.key.get("key"), "fence", fence));
			this.connection.commit();
		}
		finally {
			this.lock.unlock();
		}
	}

	/** Whether the database still knows us. */
	boolean isAlive(Duration patience) {
		if (!this.lock.tryLock()) {
			// A command is on its way, which finds out.
			return true;
		}
		try {
			this.connection.limitNetwork((int) patience.toMillis());
			return this.connection.isAlive();
		}
		finally {
			this.lock.unlock();
		}
	}

	/** Stop waiting, from another thread. */
	void cancel() throws SQLException {
		this.connection.cancel();
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
	 * The row.
	 *
	 * @param leased whether somebody holds it by a lease
	 * @param fence the last token
	 * @param nowMicros the time when the statement began
	 */
	record LockedRow(boolean leased, long fence, long nowMicros) {

		private static LockedRow read(ResultSet row, int number) throws SQLException {
			return new LockedRow(!row.getString(1).isEmpty() && row.getLong(3) > 0, row.getLong(2), row.getLong(4));
		}

	}

}
