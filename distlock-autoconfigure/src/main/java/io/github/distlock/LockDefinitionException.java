package io.github.distlock;

import org.jspecify.annotations.Nullable;

/**
 * The lock cannot work as it is written: a malformed annotation, a key that is none, an
 * option that the store does not offer. Trying again does not help.
 */
public class LockDefinitionException extends LockException {

	/**
	 * Say what happened.
	 * @param message names the lock, the value and the remedy
	 */
	public LockDefinitionException(String message) {
		super(message, null);
	}

	/**
	 * Say what happened, and why.
	 * @param message names the lock, the value and the remedy
	 * @param cause what led to it
	 */
	public LockDefinitionException(String message, @Nullable Throwable cause) {
		super(message, cause);
	}

}
