package io.github.distlock.model;

/** A part of a state. A copy shares the objects that are never changed. */
abstract class StatePart<P extends StatePart<P>> implements Cloneable {

	@SuppressWarnings("unchecked")
	P copy() {
		try {
			return (P) clone();
		}
		catch (CloneNotSupportedException ex) {
			throw new AssertionError(ex);
		}
	}

}
