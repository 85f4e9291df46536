package io.github.distlock.autoconfigure;

import java.io.Serial;

/**
 * A property has an invalid value. The description names the property, the value and the
 * remedy.
 */
class InvalidPropertyException extends IllegalArgumentException {

	@Serial
	private static final long serialVersionUID = 1L;

	private final String property;

	private final String problem;

	private final String remedy;

	InvalidPropertyException(String property, Object value, String problem, String remedy) {
		this(property, "Property '" + property + "' is '" + value + "': " + problem, remedy);
	}

	private InvalidPropertyException(String property, String problem, String remedy) {
		super(problem + ". " + remedy);
		this.property = property;
		this.problem = problem;
		this.remedy = remedy;
	}

	String getProperty() {
		return this.property;
	}

	String getProblem() {
		return this.problem;
	}

	String getRemedy() {
		return this.remedy;
	}

}
