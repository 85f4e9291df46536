package io.github.distlock;

import org.jspecify.annotations.Nullable;

/**
 * The lock cannot work as it is defined: a malformed annotation, an invalid key, or an
 * option that the store does not support. Another attempt fails, too.
 * <p>
 * Correct the code or the configuration. The message names the mistake.
 */
public class LockDefinitionException extends LockException {

	/**
	 * Create the exception.
	 * @param message names the lock, the value and the remedy
	 */
	public LockDefinitionException(String message) {
		super(message, null);
	}

	/**
	 * Create the exception with its cause.
	 * @param message names the lock, the value and the remedy
	 * @param cause the exception that caused it
	 */
	public LockDefinitionException(String message, @Nullable Throwable cause) {
		super(message, cause);
	}

}
