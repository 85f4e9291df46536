package io.github.distlock;

import org.jspecify.annotations.Nullable;

/**
 * The lock was not acquired: it was held elsewhere until the wait time had passed, or the
 * waiting thread was interrupted (then the cause is an {@link InterruptedException}).
 * <p>
 * Nothing was done under the lock. Try again later, or answer that the resource is in use
 * (HTTP status 409).
 */
public class LockNotAcquiredException extends LockException {

	private final transient @Nullable LockHolder holder;

	/**
	 * Create the exception.
	 * @param message names the lock, the value and the remedy
	 */
	public LockNotAcquiredException(String message) {
		this(message, null, null);
	}

	/**
	 * Create the exception with its cause.
	 * @param message names the lock, the value and the remedy
	 * @param cause the exception that caused it
	 */
	public LockNotAcquiredException(String message, @Nullable Throwable cause) {
		this(message, null, cause);
	}

	/**
	 * Create the exception with the holder of the lock.
	 * @param message names the lock, the value and the remedy
	 * @param holder what held the lock when the wait ended, if known
	 * @param cause the exception that caused it
	 */
	public LockNotAcquiredException(String message, @Nullable LockHolder holder, @Nullable Throwable cause) {
		super(message, cause);
		this.holder = holder;
	}

	/**
	 * Return what held the lock when the wait ended. Of several readers it is one.
	 * @return the holder; {@code null} if the store does not tell, the wait was
	 * interrupted, or the exception was serialized
	 */
	public @Nullable LockHolder holder() {
		return this.holder;
	}

}
