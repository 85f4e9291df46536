package io.github.distlock.backend;

import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.regex.Pattern;

import io.github.distlock.LockDefinitionException;
import io.github.distlock.LockRequest;

/**
 * The keys that can be locked. They are the same in every store, so that an application
 * can change its store.
 */
public final class LockKeys {

	/**
	 * Control characters, and the separators of Unicode, which may end a line of a log.
	 */
	private static final Pattern CONTROL = Pattern.compile("[\\p{Cc}\\u2028\\u2029]");

	private LockKeys() {
	}

	/**
	 * Return a text that cannot end or forge a line of a log.
	 * @param text a text from outside
	 * @return the text, with {@code ?} for each control character
	 */
	public static String printable(String text) {
		return CONTROL.matcher(text).replaceAll("?");
	}

	/**
	 * Refuse a key that is blank, too long, not valid Unicode, or that contains a control
	 * character.
	 * @param key the key to lock
	 * @throws LockDefinitionException if it cannot be locked; the message says what to
	 * use instead
	 */
	public static void validate(String key) {
		boolean plain = isPlain(key);
		if (!plain && CONTROL.matcher(key).find()) {
			throw new LockDefinitionException(
					"The lock key '" + abbreviate(printable(key)) + "' contains a control character (shown as ?): "
							+ "remove line breaks, tabs and other control characters from it");
		}
		if (key.isBlank()) {
			throw new LockDefinitionException(
					"The lock key is blank ('" + key + "'): a key must name what is locked, such as 'order-42'");
		}
		if (key.length() <= LockRequest.MAXIMUM_KEY_BYTES && plain) {
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

	/** Whether all characters are printable ones of ASCII. */
	private static boolean isPlain(String key) {
		for (int i = 0; i < key.length(); i++) {
			if (key.charAt(i) < ' ' || key.charAt(i) > '~') {
				return false;
			}
		}
		return true;
	}

	private static String abbreviate(String key) {
		return (key.length() <= 40) ? key : key.substring(0, 40) + "...";
	}

}
