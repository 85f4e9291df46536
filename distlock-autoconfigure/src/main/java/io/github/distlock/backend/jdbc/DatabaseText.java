package io.github.distlock.backend.jdbc;

import java.util.regex.Pattern;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

/**
 * Keeps credentials out of texts. Drivers accept user and password in several places of a
 * URL, and messages of drivers and pools may contain a URL.
 */
final class DatabaseText {

	/**
	 * User and password before a host, or the password alone: a driver that takes it for
	 * a port names only that.
	 */
	private static final Pattern USER_INFO = Pattern.compile("[^\\s\"'(]+@");

	/** Parameters of a URL. */
	private static final Pattern PARAMETER = Pattern.compile("(?i)\\b(user|password|passwd|pwd)=[^;&,\\s\"')]*");

	/** User and password before the hosts. */
	private static final Pattern USER = Pattern.compile("//[^/?;(]*@");

	/** Parameters, and hosts of MySQL with their properties in brackets. */
	private static final Pattern PARAMETERS = Pattern.compile("(?s)([?;(]|address=).*");

	private DatabaseText() {
	}

	/** Remove credentials from a message. */
	static String mask(String message) {
		return PARAMETER.matcher(USER_INFO.matcher(message).replaceAll("...@")).replaceAll("$1=...");
	}

	/**
	 * Describe where a database is, without credentials and parameters.
	 * @param dialect the database, or {@code null} if it is not known yet
	 * @param url the URL, or {@code null} if it is not known
	 */
	static String location(@Nullable JdbcDialect dialect, @Nullable String url) {
		String known = (url != null) ? USER.matcher(url).replaceFirst("//") : "";
		String product = Stream.of(JdbcDialect.values())
			.filter((each) -> (dialect != null) ? each == dialect : known.startsWith("jdbc:" + each.platform() + ":"))
			.map(JdbcDialect::product)
			.findFirst()
			.orElse("a database");
		// After a further @ may be the rest of a password.
		return (known.isEmpty() || known.contains("@")) ? product
				: product + " at " + PARAMETERS.matcher(known).replaceFirst("");
	}

}
