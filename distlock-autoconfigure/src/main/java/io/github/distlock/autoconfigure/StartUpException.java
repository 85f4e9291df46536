package io.github.distlock.autoconfigure;

import java.io.Serial;

import org.jspecify.annotations.Nullable;

/**
 * The application cannot start as it is configured: a property has an invalid value, a
 * lock backend is missing or ambiguous, or {@code distlock.fail-fast} is true and the
 * lock store cannot be used. {@link DistlockFailureAnalyzer} reports the description and
 * the action.
 */
final class StartUpException extends IllegalStateException {

	@Serial
	private static final long serialVersionUID = 1L;

	private final String description;

	private final String action;

	private final @Nullable String property;

	StartUpException(String description, String action) {
		this(description, action, null, null);
	}

	/**
	 * Create an exception.
	 * @param description what is wrong
	 * @param action the remedy
	 * @param property the property whose value is invalid, if it is one
	 * @param cause why a store cannot be used
	 */
	StartUpException(String description, String action, @Nullable String property, @Nullable Throwable cause) {
		super(description + " " + action, cause);
		this.description = description;
		this.action = action;
		this.property = property;
	}

	String getDescription() {
		return this.description;
	}

	String getAction() {
		return this.action;
	}

	@Nullable String getProperty() {
		return this.property;
	}

}
