package io.github.distlock.waiting;

/**
 * The outcome of a release.
 */
public enum ReleaseOutcome {

	/** The store has released the lock. */
	RELEASED,

	/** The next waiter of this JVM holds the lock, without a command. */
	HANDED_OFF,

	/**
	 * This JVM keeps the lock in the store, for its next caller. No command was sent.
	 */
	KEPT,

	/** The store no longer knew this holder: the lock had been lost. */
	GONE,

	/**
	 * The release was sent without waiting for the answer, or will be sent in the
	 * background after a command that is on its way.
	 */
	PENDING,

	/** The store did not answer. The release is repeated in the background. */
	UNANSWERED

}
