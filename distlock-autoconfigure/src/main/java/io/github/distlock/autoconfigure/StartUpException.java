package io.github.distlock.autoconfigure;

import java.io.Serial;

import org.jspecify.annotations.Nullable;

/**
 * The application cannot start as it is configured. {@link DistlockFailureAnalyzer}
 * reports the description and the action.
 */
abstract class StartUpException extends IllegalStateException {

	@Serial
	private static final long serialVersionUID = 1L;

	private final String description;

	private final String action;

	StartUpException(String description, String action, @Nullable Throwable cause) {
		super(description + " " + action, cause);
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
