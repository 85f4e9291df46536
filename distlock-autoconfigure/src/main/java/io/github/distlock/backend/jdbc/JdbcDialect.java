package io.github.distlock.backend.jdbc;

import java.sql.DatabaseMetaData;
import java.sql.SQLException;
import java.util.Locale;

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
	boolean isLockTimeout(Throwable failure) {
		SQLException ex = JdbcExceptionTranslator.sqlException(failure);
		return ex != null && ("55P03".equals(ex.getSQLState())
				|| (this.lockTimeoutCode != 0 && ex.getErrorCode() == this.lockTimeoutCode));
	}

}
