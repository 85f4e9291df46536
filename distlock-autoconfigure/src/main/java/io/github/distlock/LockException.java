package io.github.distlock;

import org.jspecify.annotations.Nullable;

/**
 * Base class of all exceptions that locks throw. There are four kinds, for four different
 * reactions: try again later ({@link LockNotAcquiredException}), check the store
 * ({@link LockBackendException}), undo the work ({@link LockLostException}), correct the
 * code ({@link LockDefinitionException}).
 */
public abstract class LockException extends RuntimeException {

	/** The label of the lock, if it is known. */
	private @Nullable String lockName;

	/**
	 * Create the exception.
	 * @param message what happened to which lock, and what to do
	 * @param cause the cause, or {@code null}
	 */
	protected LockException(String message, @Nullable Throwable cause) {
		super(message, cause);
	}

	/**
	 * Return the label of the lock, such as {@code StockService.deduct}. Unlike the
	 * message, it does not contain the key.
	 * @return the name of the lock that was requested, {@code null} if it is not known
	 */
	public @Nullable String lockName() {
		return this.lockName;
	}

	/**
	 * Set the label of the lock, unless it is set. For code that acquires locks, before
	 * it throws the exception.
	 * @param lockName the name of the lock that was requested, {@code null} if it has
	 * none
	 */
	public void initLockName(@Nullable String lockName) {
		this.lockName = (this.lockName != null) ? this.lockName : lockName;
	}

}
