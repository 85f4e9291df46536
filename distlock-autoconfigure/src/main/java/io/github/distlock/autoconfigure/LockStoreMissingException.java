package io.github.distlock.autoconfigure;

import java.io.Serial;

/**
 * There is no lock store, or it is not clear which.
 */
class LockStoreMissingException extends IllegalStateException {

	@Serial
	private static final long serialVersionUID = 1L;

	private final String description;

	private final String action;

	LockStoreMissingException(String description, String action) {
		super(description + " " + action);
		this.description = description;
		this.action = action;
	}

	String getDescription() {
		return this.description;
	}

	String getAction() {
		return this.action;
	}

}
