package io.github.distlock.backend.jdbc;

import java.sql.DatabaseMetaData;
import java.sql.SQLException;
import java.util.Locale;

import io.github.distlock.backend.StoreUnusableException;

/**
 * The supported databases, and how they differ apart from their SQL.
 */
enum JdbcDialect {

	/**
	 * A statement that waits for a row cannot be cancelled, so the store polls instead.
	 */
	H2("H2", 50200),

	/** Reports a lock time-out by an SQL state only. */
	POSTGRESQL("PostgreSQL", 0),

	/** The statement of an attempt returns no row. */
	MYSQL("MySQL", 1205),

	/** Like MySQL, but the statement of an attempt returns the row. */
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
				"The database '" + product + "' is not supported as a lock store: use H2, PostgreSQL,"
						+ " MySQL or MariaDB, or another store (distlock.backend)",
				null);
	}

	/** Return the name that the SQL files contain, as in Spring Boot. */
	String platform() {
		return name().toLowerCase(Locale.ROOT);
	}

	/** Return the name of the database in messages. */
	String product() {
		return this.product;
	}

	/** Whether the statement of an attempt returns the row. */
	boolean attemptReturnsRow() {
		return this != MYSQL;
	}

	/** Whether a statement can wait for a row, and can be cancelled meanwhile. */
	boolean waitsForRows() {
		return this != H2;
	}

	/**
	 * Whether a single statement is correct at every isolation level. In other databases
	 * it fails above {@code READ COMMITTED} if another transaction changes the row
	 * meanwhile.
	 */
	boolean statementsIgnoreIsolation() {
		return this == MYSQL || this == MARIADB;
	}

	/** Whether a statement has failed because a row was locked for too long. */
	boolean isLockTimeout(Throwable failure) {
		SQLException ex = JdbcExceptionTranslator.sqlException(failure);
		return ex != null && ("55P03".equals(ex.getSQLState())
				|| (this.lockTimeoutCode != 0 && ex.getErrorCode() == this.lockTimeoutCode));
	}

}
