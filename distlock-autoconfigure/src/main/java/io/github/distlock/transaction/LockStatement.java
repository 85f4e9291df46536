package io.github.distlock.transaction;

import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Set;
import java.util.function.IntSupplier;

import io.github.distlock.LockDefinitionException;
import io.github.distlock.backend.LockKeys;
import org.jspecify.annotations.Nullable;

/**
 * Takes the lock of a key in an open transaction, until that ends: the number of the key
 * among the advisory locks of PostgreSQL, elsewhere its row. JDBC mode {@code connection}
 * takes the same.
 */
final class LockStatement {

	/** Schema and name of the table, also if it is made later in the default schema. */
	private static final String TABLE = """
			SELECT coalesce(nspname, CASE WHEN cardinality(name) > 1 THEN name[1] ELSE current_schema() END, '')::text,
			  coalesce(relname, name[cardinality(name)])::text FROM parse_ident('%1$s') name LEFT JOIN
			  (pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace) ON c.oid = to_regclass('%1$s')""";

	private static final String TRY = "SELECT pg_try_advisory_xact_lock(?),"
			+ " current_setting('transaction_isolation') IN ('read committed', 'read uncommitted')";

	/**
	 * In one round trip, with literals, which a block needs. The end of the wait is no
	 * error in the transaction, and undoes the limit.
	 */
	private static final String AWAIT = """
			DO $$ DECLARE own text := current_setting('lock_timeout'); BEGIN
			  PERFORM set_config('lock_timeout', '%2$s', true);
			  PERFORM pg_advisory_xact_lock('%1$s'::bigint);
			  PERFORM set_config('lock_timeout', own, true);
			EXCEPTION WHEN lock_not_available OR query_canceled THEN NULL; END $$;
			""" + TRY.replace("?", "'%1$s'::bigint");

	/** Their transactions see what is committed before their first read. */
	static final Set<String> SNAPSHOTS_LATER = Set.of("mariadb", "mysql");

	/** Of MariaDB, whose transaction can go on. */
	private static final int STATEMENT_TIMEOUT = 1969;

	private static final String H2 = """
			MERGE INTO %s l USING (SELECT CAST(? AS VARBINARY) AS lock_key) n ON l.lock_key = n.lock_key
			WHEN MATCHED THEN UPDATE SET wanted_at = l.wanted_at
			WHEN NOT MATCHED THEN INSERT (lock_key, owner, fence, expires_at, wanted_at) VALUES (n.lock_key, '', 0, 0, 0)""";

	private static final String MYSQL = """
			INSERT INTO %s (lock_key, owner, fence, expires_at, wanted_at) VALUES (?, '', 0, 0, 0)
			ON DUPLICATE KEY UPDATE lock_key = lock_key""";

	private final String keyPrefix;

	private final String table;

	private volatile @Nullable List<String> resolved;

	LockStatement(String keyPrefix, String table) {
		this.keyPrefix = keyPrefix;
		this.table = table;
	}

	/**
	 * Take the lock, or wait for it.
	 * @param restMillis how long to wait from now on
	 * @param isFirst whether the transaction has read nothing yet
	 * @return whether the lock was taken; if not, or if its row was not free in time, the
	 * transaction may go on
	 * @throws LockDefinitionException if the transaction would not see what the last
	 * holder has committed
	 */
	boolean take(Connection connection, String key, IntSupplier restMillis, boolean isFirst) throws SQLException {
		String platform = FenceTable.platform(connection);
		if ("postgresql".equals(platform)) {
			List<String> names = resolve(connection);
			long number = LockKeys.number(names.get(0), names.get(1), this.keyPrefix, key);
			try (PreparedStatement attempt = connection.prepareStatement(TRY)) {
				attempt.setLong(1, number);
				if (isTaken(attempt, attempt.execute())) {
					return true;
				}
			}
			int millis = restMillis.getAsInt();
			try (Statement wait = connection.createStatement()) {
				return millis != 0 && isTaken(wait, wait.execute(AWAIT.formatted(number, millis)));
			}
		}
		if (platform == null) {
			throw new SQLException(connection.getMetaData().getDatabaseProductName() + " is not supported");
		}
		boolean isH2 = platform.equals("h2");
		checkIsolation(SNAPSHOTS_LATER.contains(platform) && isFirst
				|| connection.getTransactionIsolation() <= Connection.TRANSACTION_READ_COMMITTED);
		String sql = (isH2 ? H2 : MYSQL).formatted(this.table);
		byte[] row = (this.keyPrefix + key).getBytes(StandardCharsets.UTF_8);
		if (platform.equals("mariadb")) {
			// A wait for a lock is limited in full seconds only, a statement exactly. The
			// first one takes a free lock, however slow the server is. It waits neither
			// for the row nor for the table, which a change of the table locks.
			String limits = "SET STATEMENT innodb_lock_wait_timeout = %1$s, lock_wait_timeout = %1$s, max_statement_time = %2$s FOR ";
			try {
				FenceTable.run(connection, limits.formatted(0, 0) + sql, row);
			}
			catch (SQLException ex) {
				int millis = restMillis.getAsInt();
				if (millis == 0 || !FenceTable.isLockTimeout(ex)) {
					throw ex;
				}
				FenceTable.run(connection, limits.formatted((millis + 999L) / 1000, millis / 1000.0) + sql, row);
			}
			return true;
		}
		long millis = restMillis.getAsInt();
		// Zero would be no limit, or none at all.
		FenceTable.limited(connection, isH2 ? "SELECT LOCK_TIMEOUT()" : "SELECT @@innodb_lock_wait_timeout",
				isH2 ? "SET LOCK_TIMEOUT " : "SET innodb_lock_wait_timeout = ",
				Math.max(1, isH2 ? millis : (millis + 999) / 1000), () -> FenceTable.merge(connection, sql, row));
		return true;
	}

	/** Whether it only came too late, after a wait. */
	static boolean isTimeout(SQLException failure) {
		return FenceTable.isLockTimeout(failure) || failure.getErrorCode() == STATEMENT_TIMEOUT;
	}

	/**
	 * Resolve the table in PostgreSQL, once: numbers must not depend on a later schema.
	 */
	List<String> resolve(Connection connection) throws SQLException {
		List<String> names = this.resolved;
		if (names == null) {
			try (Statement statement = connection.createStatement();
					ResultSet row = statement.executeQuery(TABLE.formatted(this.table))) {
				row.next();
				names = List.of(row.getString(1), row.getString(2));
				this.resolved = names;
			}
		}
		return names;
	}

	private static boolean isTaken(Statement executed, boolean hasRow) throws SQLException {
		while (!hasRow) {
			hasRow = executed.getMoreResults();
		}
		try (ResultSet row = executed.getResultSet()) {
			row.next();
			checkIsolation(row.getBoolean(2));
			return row.getBoolean(1);
		}
	}

	private static void checkIsolation(boolean isRight) {
		if (!isRight) {
			throw new LockDefinitionException("A lock of the store 'transaction' was requested in a transaction whose"
					+ " isolation does not show what the last holder has committed: use READ COMMITTED (on MariaDB and"
					+ " MySQL REPEATABLE READ is right if the transaction begins inside of the lock)");
		}
	}

}
