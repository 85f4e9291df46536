package io.github.distlock;

import org.jspecify.annotations.Nullable;

/**
 * The lock was not acquired: it was held elsewhere until the wait time had passed, or the
 * waiting thread was interrupted (then the cause is an {@link InterruptedException}).
 */
public class LockNotAcquiredException extends LockException {

	/**
	 * Create the exception.
	 * @param message names the lock, the value and the remedy
	 */
	public LockNotAcquiredException(String message) {
		super(message, null);
	}

	/**
	 * Create the exception with its cause.
	 * @param message names the lock, the value and the remedy
	 * @param cause the exception that caused it
	 */
	public LockNotAcquiredException(String message, @Nullable Throwable cause) {
		super(message, cause);
	}

}
