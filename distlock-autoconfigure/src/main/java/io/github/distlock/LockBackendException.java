package io.github.distlock;

import org.jspecify.annotations.Nullable;

/**
 * The lock store cannot be reached, refuses the command, or has been silent for too long.
 * Says nothing about who holds the lock.
 */
public class LockBackendException extends LockException {

	/**
	 * Say what happened.
	 * @param message names the lock, the value and the remedy
	 */
	public LockBackendException(String message) {
		super(message, null);
	}

	/**
	 * Say what happened, and why.
	 * @param message names the lock, the value and the remedy
	 * @param cause what led to it
	 */
	public LockBackendException(String message, @Nullable Throwable cause) {
		super(message, cause);
	}

}
