package io.github.distlock.backend;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.regex.Pattern;

import io.github.distlock.LockDefinitionException;
import io.github.distlock.LockRequest;

import org.springframework.util.function.ThrowingSupplier;

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
		if (isPlain(key) && key.length() <= LockRequest.MAXIMUM_KEY_BYTES && !key.isBlank()) {
			return;
		}
		int bytes = key.getBytes(StandardCharsets.UTF_8).length;
		String fault = null;
		if (CONTROL.matcher(key).find()) {
			fault = "contains a control character (shown as ?): remove line breaks, tabs and other control characters"
					+ " from it";
		}
		else if (key.isBlank()) {
			fault = "is blank: a key must name what is locked, such as 'order-42'";
		}
		else if (!StandardCharsets.UTF_8.newEncoder().canEncode(key)) {
			fault = "contains half of a surrogate pair and cannot be sent as UTF-8: use valid Unicode text";
		}
		else if (bytes > LockRequest.MAXIMUM_KEY_BYTES) {
			fault = "has " + bytes + " bytes and may have " + LockRequest.MAXIMUM_KEY_BYTES
					+ ": use an identifier, or a digest of the long value";
		}
		if (fault != null) {
			String shown = printable((key.length() <= 40) ? key : key.substring(0, 40) + "...");
			throw new LockDefinitionException("The lock key '" + shown + "' " + fault);
		}
	}

	/**
	 * Return a number for a key, among the advisory locks of PostgreSQL and in events of
	 * the flight recorder: the first 8 bytes of the SHA-256 of some names in UTF-8, each
	 * after its length in 4 bytes, the highest byte first. All JVMs, of all versions,
	 * must compute the same numbers.
	 * @param names what the key belongs to (the schema, the table and the prefix of keys;
	 * or the name of the store), and the key
	 * @return the number
	 */
	public static long number(String... names) {
		MessageDigest digest = ThrowingSupplier.of(() -> MessageDigest.getInstance("SHA-256")).get();
		for (String name : names) {
			byte[] bytes = name.getBytes(StandardCharsets.UTF_8);
			digest.update(ByteBuffer.allocate(Integer.BYTES).putInt(bytes.length).array());
			digest.update(bytes);
		}
		return ByteBuffer.wrap(digest.digest()).getLong();
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

}
