package io.github.distlock;

import org.jspecify.annotations.Nullable;

/**
 * The lock store cannot be reached, refuses a command, or has not answered for too long.
 * The exception says nothing about which caller holds the lock.
 * <p>
 * Check the store and the connection to it. The message names the address and the remedy.
 * A web application answers with HTTP status 503 if no handler takes the exception.
 */
public class LockBackendException extends LockException {

	/**
	 * Create the exception.
	 * @param message names the lock, the value and the remedy
	 */
	public LockBackendException(String message) {
		super(message, null);
	}

	/**
	 * Create the exception with its cause.
	 * @param message names the lock, the value and the remedy
	 * @param cause the exception that caused it
	 */
	public LockBackendException(String message, @Nullable Throwable cause) {
		super(message, cause);
	}

}
