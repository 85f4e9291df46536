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
	H2("H2"),

	POSTGRESQL("PostgreSQL"),

	/** The statement of an attempt returns no row. */
	MYSQL("MySQL"),

	/** Like MySQL, but the statement of an attempt returns the row. */
	MARIADB("MariaDB");

	private final String product;

	JdbcDialect(String product) {
		this.product = product;
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

}
