package io.github.distlock.backend.jdbc;

import java.nio.charset.StandardCharsets;

import io.github.distlock.LockDefinitionException;

/**
 * The names of locks in the table: bytes, so that no collation takes two for one.
 */
final class JdbcKeys {

	private static final int MAX_PREFIX_BYTES = 256;

	private final String prefix;

	JdbcKeys(String prefix) {
		int bytes = prefix.getBytes(StandardCharsets.UTF_8).length;
		if (bytes > MAX_PREFIX_BYTES) {
			throw new LockDefinitionException("The key prefix '" + prefix + "' has " + bytes + " bytes and may have "
					+ MAX_PREFIX_BYTES + ": choose a shorter one");
		}
		this.prefix = prefix;
	}

	byte[] of(String key) {
		return (this.prefix + key).getBytes(StandardCharsets.UTF_8);
	}

}
