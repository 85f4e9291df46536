package io.github.distlock.waiting;

/**
 * What is not finished in a waiting room, for a shutdown that waits for it. The later one
 * counts for more.
 */
public enum UnfinishedWork {

	/** Nothing. */
	NOTHING,

	/**
	 * Only commands that a store has failed to answer, and which are repeated. There is
	 * nothing to wait for: the store is known to be away, or refuses them, and leases end
	 * what may have been granted.
	 */
	RETRIES,

	/** Commands on their way to a store that has answered so far. */
	COMMANDS,

	/** A lock is held, or was granted to a caller. */
	HELD_LOCKS;

	UnfinishedWork and(UnfinishedWork other) {
		return (other.compareTo(this) > 0) ? other : this;
	}

}
