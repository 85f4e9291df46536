package io.github.distlock;

import org.jspecify.annotations.Nullable;

/**
 * The lock was lost while it was held: its lease has passed, or the store no longer knows
 * it. Somebody else may have held it meanwhile.
 */
public class LockLostException extends LockException {

	/**
	 * Say what happened.
	 * @param message names the lock, the value and the remedy
	 */
	public LockLostException(String message) {
		super(message, null);
	}

	/**
	 * Say what happened, and why.
	 * @param message names the lock, the value and the remedy
	 * @param cause what led to it
	 */
	public LockLostException(String message, @Nullable Throwable cause) {
		super(message, cause);
	}

}
