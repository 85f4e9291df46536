package io.github.distlock.waiting;

/**
 * How a holder left.
 */
public enum ReleaseOutcome {

	/** The store has the lock back. */
	RELEASED,

	/** The next one of this JVM has the lock, without the store. */
	HANDED_ON,

	/** The store no longer knew this holder: the lock had been lost. */
	GONE,

	/** The release is sent in the background, after a command that is on its way. */
	PENDING,

	/** The store did not answer; the release goes on in the background. */
	UNANSWERED

}
