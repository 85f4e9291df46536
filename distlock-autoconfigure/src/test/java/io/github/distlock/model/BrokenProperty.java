package io.github.distlock.model;

/** A reachable state or step violates a property of the protocol. */
final class BrokenProperty extends RuntimeException {

	private static final long serialVersionUID = 1L;

	final String property;

	BrokenProperty(String property, String message) {
		super(message, null, false, false);
		this.property = property;
	}

}
