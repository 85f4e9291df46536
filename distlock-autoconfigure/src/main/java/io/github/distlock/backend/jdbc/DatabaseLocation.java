package io.github.distlock.backend.jdbc;

import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;

/**
 * Describes where a database is, without credentials and parameters: drivers accept user
 * and password in several places of a URL.
 */
final class DatabaseLocation {

	/** User and password before the hosts. */
	private static final Pattern USER = Pattern.compile("//[^/?;(]*@");

	/** Parameters, and hosts of MySQL with their properties in brackets. */
	private static final Pattern PARAMETERS = Pattern.compile("(?s)([?;(]|address=).*");

	private DatabaseLocation() {
	}

	/**
	 * Describe a database.
	 * @param dialect the database, or {@code null} if it is not known yet
	 * @param url the URL, or {@code null} if it is not known
	 */
	static String describe(@Nullable JdbcDialect dialect, @Nullable String url) {
		String known = (url != null) ? USER.matcher(url).replaceFirst("//") : "";
		String product = (dialect != null) ? dialect.product() : product(known);
		if (known.isEmpty() || known.contains("@")) {
			// The rest may be one of a password.
			return product;
		}
		return product + " at " + PARAMETERS.matcher(known).replaceFirst("");
	}

	private static String product(String url) {
		for (JdbcDialect dialect : JdbcDialect.values()) {
			if (url.startsWith("jdbc:" + dialect.platform() + ":")) {
				return dialect.product();
			}
		}
		return "a database";
	}

}
