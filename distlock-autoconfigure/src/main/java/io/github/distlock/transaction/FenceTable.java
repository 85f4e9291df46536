package io.github.distlock.transaction;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

import org.jspecify.annotations.Nullable;

/**
 * The table {@code distlock_fence}: one row for each lock, with the highest token of a
 * transaction that has written to the database under it.
 */
final class FenceTable {

	/**
	 * PostgreSQL: one round trip, and the limit of the session applies again afterwards.
	 */
	private static final String POSTGRESQL = """
			INSERT INTO %s AS f (lock_key, token, written_at)
			SELECT ?, ?, now() FROM (
			  SELECT set_config('distlock.lock_timeout', current_setting('lock_timeout'), true) AS own,
			    set_config('lock_timeout', ?, true) AS mine OFFSET 0) limits
			WHERE limits.own IS NOT NULL AND limits.mine IS NOT NULL
			ON CONFLICT (lock_key) DO UPDATE SET token = excluded.token, written_at = excluded.written_at
			WHERE f.token <= excluded.token
			RETURNING token, set_config('lock_timeout', current_setting('distlock.lock_timeout'), true)""";

	private static final String H2 = """
			MERGE INTO %s f USING (SELECT CAST(? AS VARBINARY) AS lock_key, CAST(? AS BIGINT) AS token) n
			ON f.lock_key = n.lock_key
			WHEN MATCHED AND f.token <= n.token THEN UPDATE SET token = n.token, written_at = LOCALTIMESTAMP
			WHEN NOT MATCHED THEN INSERT (lock_key, token, written_at) VALUES (n.lock_key, n.token, LOCALTIMESTAMP)""";

	private static final String MYSQL = """
			INSERT INTO %s (lock_key, token, written_at) VALUES (?, ?, UTC_TIMESTAMP())
			ON DUPLICATE KEY UPDATE token = GREATEST(token, VALUES(token)), written_at = UTC_TIMESTAMP()""";

	private static final String READ = "SELECT token FROM %s WHERE lock_key = ?";

	/** MySQL and MariaDB have no SQL state for it. */
	private static final Set<Integer> LOCK_TIMEOUTS = Set.of(1205, 50200);

	private static final String UNIQUE_VIOLATION = "23505";

	private static final Map<String, String> PLATFORMS = Map.of("postgresql", POSTGRESQL, "h2", H2, "mariadb",
			"SET STATEMENT innodb_lock_wait_timeout = %s FOR " + MYSQL + " RETURNING token", "mysql", MYSQL);

	private final String name;

	FenceTable(String name) {
		this.name = name;
	}

	@Override
	public String toString() {
		return this.name;
	}

	/**
	 * Return the name of the database in the names of scripts.
	 * @return the name, {@code null} if the database is not supported
	 */
	static @Nullable String platform(Connection connection) throws SQLException {
		String product = connection.getMetaData().getDatabaseProductName().toLowerCase(Locale.ROOT);
		return PLATFORMS.containsKey(product) ? product : null;
	}

	/** Of MySQL or MariaDB, whose transaction is rolled back then, and can go on. */
	static boolean isDeadlock(@Nullable Throwable failure) {
		return failure instanceof SQLException sql && sql.getErrorCode() == 1213;
	}

	static boolean isLockTimeout(SQLException failure) {
		return "55P03".equals(failure.getSQLState()) || LOCK_TIMEOUTS.contains(failure.getErrorCode());
	}

	/**
	 * Write a token into the row of a lock, unless the row has a higher one. The row
	 * stays locked until the transaction ends.
	 * @param limit how long to wait for another transaction that has written the row
	 * @return the token of the row afterwards
	 */
	long raise(Connection connection, byte[] key, long token, Duration limit) throws SQLException {
		String platform = platform(connection);
		String sql = PLATFORMS.get(platform);
		if (platform == null || sql == null) {
			return token;
		}
		// Zero would be no limit, or none at all.
		long millis = Math.max(1, limit.toMillis());
		long seconds = (millis + 999) / 1000;
		Long found = switch (platform) {
			case "postgresql" -> run(connection, sql.formatted(this.name), key, token, millis + "ms");
			case "mariadb" -> run(connection, sql.formatted(seconds, this.name), key, token);
			case "mysql" -> limited(connection, "SELECT @@innodb_lock_wait_timeout", "SET innodb_lock_wait_timeout = ",
					seconds, () -> {
						run(connection, sql.formatted(this.name), key, token);
						return run(connection, READ.formatted(this.name) + " FOR UPDATE", key);
					});
			default -> limited(connection, "SELECT LOCK_TIMEOUT()", "SET LOCK_TIMEOUT ", millis,
					() -> merge(connection, sql.formatted(this.name), key, token));
		};
		Long higher = (found != null) ? found : run(connection, READ.formatted(this.name), key);
		if (higher == null) {
			throw new SQLException("The row is not there");
		}
		return higher;
	}

	/** In H2 another transaction may insert the row at the same moment. */
	static @Nullable Long merge(Connection connection, String sql, Object... values) throws SQLException {
		try {
			return run(connection, sql, values);
		}
		catch (SQLException ex) {
			if (!UNIQUE_VIOLATION.equals(ex.getSQLState())) {
				throw ex;
			}
			return run(connection, sql, values);
		}
	}

	/** Set a limit of the session for some statements. */
	static @Nullable Long limited(Connection connection, String read, String set, long limit, Statements statements)
			throws SQLException {
		Long own = run(connection, read);
		run(connection, set + limit);
		try {
			return statements.run();
		}
		finally {
			run(connection, set + own);
		}
	}

	/** Return the first number of the result, if there is one. */
	static @Nullable Long run(Connection connection, String sql, Object... values) throws SQLException {
		try (PreparedStatement statement = connection.prepareStatement(sql)) {
			for (int i = 0; i < values.length; i++) {
				statement.setObject(i + 1, values[i]);
			}
			if (!statement.execute()) {
				return null;
			}
			try (ResultSet rows = statement.getResultSet()) {
				return rows.next() ? rows.getLong(1) : null;
			}
		}
	}

	interface Statements {

		@Nullable Long run() throws SQLException;

	}

}
