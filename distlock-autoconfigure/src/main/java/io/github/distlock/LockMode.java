package io.github.distlock;

/**
 * How a lock is shared. Which modes a store offers is part of its description; a request
 * for a mode that the store does not offer is refused with
 * {@link LockDefinitionException}.
 */
public enum LockMode {

	/** One holder. Every store offers it. */
	EXCLUSIVE,

	/**
	 * Many readers, nobody else. Each has a lease and a fencing token of its own. A
	 * thread that holds the lock in this mode alone cannot enter it in another one: it
	 * would wait for itself, and gets a {@link LockDefinitionException}.
	 */
	READ,

	/**
	 * One writer, nobody else; readers that come while it waits stand behind it. A thread
	 * that writes may also read, and goes on as a reader, with nobody in between, when it
	 * closes what it writes first.
	 */
	WRITE

}
