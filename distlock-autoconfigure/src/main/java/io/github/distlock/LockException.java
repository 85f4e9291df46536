package io.github.distlock;

import org.jspecify.annotations.Nullable;

/**
 * Base class of all exceptions that locks throw. There are four kinds, for four different
 * reactions: try again later ({@link LockNotAcquiredException}), check the store
 * ({@link LockBackendException}), undo the work ({@link LockLostException}), correct the
 * code ({@link LockDefinitionException}).
 */
public abstract class LockException extends RuntimeException {

	/**
	 * Create the exception.
	 * @param message what happened to which lock, and what to do
	 * @param cause the cause, or {@code null}
	 */
	protected LockException(String message, @Nullable Throwable cause) {
		super(message, cause);
	}

}
