package io.github.distlock.autoconfigure;

import java.io.Serial;

import io.github.distlock.LockBackendException;

/**
 * The lock store cannot be used and the application is not to start without.
 */
class LockStoreUnavailableException extends IllegalStateException {

	@Serial
	private static final long serialVersionUID = 1L;

	private final String store;

	LockStoreUnavailableException(String store, LockBackendException cause) {
		super("The lock store, " + store + ", cannot be used: " + cause.getMessage(), cause);
		this.store = store;
	}

	String getStore() {
		return this.store;
	}

}
