package io.github.distlock.autoconfigure;

import java.io.Serial;

import io.github.distlock.LockBackendException;

/**
 * The lock store cannot be used at startup, and {@code distlock.fail-fast} is true.
 */
class LockStoreUnavailableException extends StartUpException {

	@Serial
	private static final long serialVersionUID = 1L;

	/**
	 * Create the exception.
	 * @param store where the store is
	 * @param properties the properties of the connection to it, or an empty text
	 * @param cause why it cannot be used
	 */
	LockStoreUnavailableException(String store, String properties, LockBackendException cause) {
		super("distlock.fail-fast is true, and the lock store cannot be used: " + store + "."
				+ String.format("%n    %s", cause.getMessage()),
				"""
						Check that the store runs at that address, that this machine can reach it, and that user and \
						password are right%s.
						To start without it, so that only calls that need a lock fail, set distlock.fail-fast=false."""
					.formatted(properties.isEmpty() ? "" : " (" + properties + ")"),
				cause);
	}

}
