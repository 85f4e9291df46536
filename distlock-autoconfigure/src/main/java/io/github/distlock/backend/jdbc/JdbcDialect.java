package io.github.distlock.backend.jdbc;

import java.sql.DatabaseMetaData;
import java.sql.SQLException;
import java.sql.SQLNonTransientConnectionException;
import java.sql.SQLRecoverableException;
import java.util.Locale;
import java.util.Set;

import io.github.distlock.backend.StoreUnusableException;

/**
 * The databases that are known, and in what they differ beyond their statements.
 */
enum JdbcDialect {

	/** Waiters for a row cannot be stopped: they look again and again instead. */
	H2("H2", 50200),

	/** The statement of an attempt answers at once. */
	POSTGRESQL("PostgreSQL", 0),

	/** One error number for a lock that was not had in time. */
	MYSQL("MySQL", 1205),

	/** Like MySQL, but an attempt answers at once. */
	MARIADB("MariaDB", 1205);

	/** MySQL, MariaDB: the server is read-only, as a former primary is. */
	private static final Set<Integer> READ_ONLY = Set.of(1290, 1792, 1836);

	private final String product;

	private final int lockTimeoutCode;

	JdbcDialect(String product, int lockTimeoutCode) {
		this.product = product;
		this.lockTimeoutCode = lockTimeoutCode;
	}

	static JdbcDialect of(DatabaseMetaData metaData) throws SQLException {
		String product = metaData.getDatabaseProductName();
		for (JdbcDialect dialect : values()) {
			if (dialect.product.equalsIgnoreCase(product)) {
				return dialect;
			}
		}
		throw new StoreUnusableException(
				"The database '" + product + "' keeps no locks for distlock: use H2, PostgreSQL,"
						+ " MySQL or MariaDB, or another store (distlock.backend)",
				null);
	}

	/** The name in the names of scripts, as Spring Boot has it. */
	String platform() {
		return name().toLowerCase(Locale.ROOT);
	}

	/** Whether an attempt answers the row, which must be read otherwise. */
	boolean attemptAnswers() {
		return this != MYSQL;
	}

	/**
	 * Whether a select that waits for a row can be stopped, and does not sleep for long.
	 */
	boolean waitsForRows() {
		return this != H2;
	}

	/**
	 * Whether one statement is right at any isolation level; elsewhere it fails if
	 * another changed the row after it began.
	 */
	boolean statementsIgnoreIsolation() {
		return this == MYSQL || this == MARIADB;
	}

	/** Whether a statement gave up waiting for a row. */
	boolean isLockTimeout(SQLException ex) {
		return "55P03".equals(ex.getSQLState())
				|| (this.lockTimeoutCode != 0 && ex.getErrorCode() == this.lockTimeoutCode);
	}

	/**
	 * Whether the statement had no effect since it met another, and can be sent again:
	 * deadlock, serialization failure, two inserts of one key at a time.
	 */
	static boolean isCollision(SQLException ex) {
		String state = ex.getSQLState();
		return state != null && (state.startsWith("40") || state.startsWith("23") || state.equals("90131"));
	}

	/**
	 * Whether the database refused the statement and goes on with the session: wrong
	 * data, missing rights or table, a collision.
	 */
	static boolean isRefusal(SQLException ex) {
		String state = ex.getSQLState();
		return state != null && (state.startsWith("22") || state.startsWith("23") || state.startsWith("40")
				|| state.startsWith("42"));
	}

	/**
	 * Whether the connection is gone, or its server no longer accepts writes: other
	 * connections that were opened before will be no better.
	 */
	static boolean isDatabaseFailure(SQLException ex) {
		String state = ex.getSQLState();
		return ex instanceof SQLRecoverableException || ex instanceof SQLNonTransientConnectionException
				|| READ_ONLY.contains(ex.getErrorCode())
				|| (state != null && (state.startsWith("08") || state.startsWith("57P") || state.equals("25006")));
	}

	/** Whether the statement or its user is not allowed, which no repetition changes. */
	static boolean isForbidden(SQLException ex) {
		String state = ex.getSQLState();
		return state != null && state.startsWith("42");
	}

	static boolean isMissingTable(SQLException ex) {
		String state = ex.getSQLState();
		return "42P01".equals(state) || "42S02".equals(state) || "42S03".equals(state) || "42S04".equals(state);
	}

}
