package io.github.distlock.backend;

import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;

import io.github.distlock.LockDefinitionException;
import io.github.distlock.LockRequest;

/**
 * The keys that can be locked. They are the same in every store, so that an application
 * can change its store.
 */
public final class LockKeys {

	private LockKeys() {
	}

	/**
	 * Refuse a key that is blank, too long, or not valid Unicode.
	 * @param key the key to lock
	 * @throws LockDefinitionException if it cannot be locked; the message says what to
	 * use instead
	 */
	public static void validate(String key) {
		if (key.isBlank()) {
			throw new LockDefinitionException(
					"The lock key is blank ('" + key + "'): a key must name what is locked, such as 'order-42'");
		}
		if (key.length() <= LockRequest.MAXIMUM_KEY_BYTES && isAscii(key)) {
			return;
		}
		int bytes;
		try {
			bytes = StandardCharsets.UTF_8.newEncoder().encode(CharBuffer.wrap(key)).remaining();
		}
		catch (CharacterCodingException ex) {
			throw new LockDefinitionException(
					"The lock key '" + abbreviate(key)
							+ "' contains half of a surrogate pair and cannot be sent as UTF-8: use valid Unicode text",
					ex);
		}
		if (bytes > LockRequest.MAXIMUM_KEY_BYTES) {
			throw new LockDefinitionException(
					"The lock key '" + abbreviate(key) + "' has " + bytes + " bytes and may have "
							+ LockRequest.MAXIMUM_KEY_BYTES + ": use an identifier, or a digest of the long value");
		}
	}

	private static boolean isAscii(String key) {
		for (int i = 0; i < key.length(); i++) {
			if (key.charAt(i) > 127) {
				return false;
			}
		}
		return true;
	}

	private static String abbreviate(String key) {
		return (key.length() <= 40) ? key : key.substring(0, 40) + "...";
	}

}
