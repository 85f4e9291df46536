package io.github.distlock.backend;

import io.github.distlock.LockBackendException;
import org.jspecify.annotations.Nullable;

/**
 * The store answers and refuses every command until its setup has been corrected, as when
 * its table is missing. Waiting callers fail at once instead of repeating the command.
 */
public class StoreUnusableException extends LockBackendException {

	/**
	 * Create an exception.
	 * @param message names what is wrong and what to do
	 * @param cause the cause
	 */
	public StoreUnusableException(String message, @Nullable Throwable cause) {
		super(message, cause);
	}

}
