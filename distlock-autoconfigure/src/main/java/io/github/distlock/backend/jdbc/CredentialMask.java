package io.github.distlock.backend.jdbc;

import java.util.regex.Pattern;

/**
 * Removes credentials from messages of drivers and pools. Some of them contain the URL of
 * the database, in which user and password may be.
 */
final class CredentialMask {

	/**
	 * User and password before a host, or the password alone: a driver that takes it for
	 * a port names only that.
	 */
	private static final Pattern USER_INFO = Pattern.compile("[^\\s\"'(]+@");

	/** Parameters of a URL. */
	private static final Pattern PARAMETER = Pattern.compile("(?i)\\b(user|password|passwd|pwd)=[^;&,\\s\"')]*");

	private CredentialMask() {
	}

	static String mask(String message) {
		return PARAMETER.matcher(USER_INFO.matcher(message).replaceAll("...@")).replaceAll("$1=...");
	}

}
