package io.github.distlock.waiting;

/**
 * The work that a shutdown may have to wait for. A later constant outweighs an earlier
 * one.
 */
public enum UnfinishedWork {

	/** Nothing is unfinished. */
	NOTHING,

	/**
	 * Only commands that the store has failed to answer, and which are repeated. Waiting
	 * for them is pointless: the store is unreachable or refuses them, and leases end
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
