package io.github.distlock;

import org.jspecify.annotations.Nullable;

/**
 * The lock was not acquired: others held it until the wait time had passed, or the
 * waiting thread was interrupted (then the cause is an {@link InterruptedException}).
 */
public class LockNotAcquiredException extends LockException {

	/**
	 * Say what happened.
	 * @param message names the lock, the value and the remedy
	 */
	public LockNotAcquiredException(String message) {
		super(message, null);
	}

	/**
	 * Say what happened, and why.
	 * @param message names the lock, the value and the remedy
	 * @param cause what led to it
	 */
	public LockNotAcquiredException(String message, @Nullable Throwable cause) {
		super(message, cause);
	}

}
