package io.github.distlock.autoconfigure;

import java.io.Serial;

/**
 * A property has an invalid value. The description names the property, the value and the
 * remedy.
 */
class InvalidPropertyException extends StartUpException {

	@Serial
	private static final long serialVersionUID = 1L;

	private final String property;

	InvalidPropertyException(String property, Object value, String problem, String remedy) {
		super("Property '" + property + "' is '" + value + "': " + problem + ".", remedy + ".", null);
		this.property = property;
	}

	String getProperty() {
		return this.property;
	}

}
