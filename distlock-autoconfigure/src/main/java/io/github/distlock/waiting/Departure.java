package io.github.distlock.waiting;

/**
 * How a holder left.
 */
public enum Departure {

	/** The store has the lock back. */
	RELEASED,

	/** The next one of this JVM has the lock, without the store. */
	HANDED_ON,

	/** The store no longer knew this holder: the lock had been lost. */
	GONE,

	/** The store has not answered yet; the release goes on in the background. */
	PENDING

}
