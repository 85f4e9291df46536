package io.github.distlock;

import org.jspecify.annotations.Nullable;

/**
 * Everything that a lock can throw. Four kinds, for four different reactions: try later
 * ({@link LockNotAcquiredException}), mend the store ({@link LockBackendException}), undo
 * the work ({@link LockLostException}), mend the code ({@link LockDefinitionException}).
 */
public abstract class LockException extends RuntimeException {

	protected LockException(String message, @Nullable Throwable cause) {
		super(message, cause);
	}

}
