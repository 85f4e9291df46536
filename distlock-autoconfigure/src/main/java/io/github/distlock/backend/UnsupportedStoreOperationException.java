package io.github.distlock.backend;

import io.github.distlock.LockBackendException;

/**
 * A store cannot do what an operator asked for. The message says what the operator can do
 * instead.
 */
public class UnsupportedStoreOperationException extends LockBackendException {

	/**
	 * Create the exception.
	 * @param message names the store, the reason and the remedy
	 */
	public UnsupportedStoreOperationException(String message) {
		super(message);
	}

}
