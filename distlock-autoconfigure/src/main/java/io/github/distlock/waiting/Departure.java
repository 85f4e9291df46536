package io.github.distlock.waiting;

/**
 * How a holder left.
 */
public enum Departure {

	/** The store has the lock back. */
	RELEASED,

	/** The store no longer knew this holder: the lock had been lost. */
	GONE,

	/** The store has not answered yet; the release goes on in the background. */
	PENDING

}
