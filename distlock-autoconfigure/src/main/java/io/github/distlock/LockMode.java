package io.github.distlock;

/**
 * How a lock is shared. The description of a store says which modes it supports; a
 * request for another mode is refused with {@link LockDefinitionException}.
 */
public enum LockMode {

	/** One holder. Every store supports this mode. */
	EXCLUSIVE,

	/**
	 * Many readers, no other holder. Each reader has a lease and a fencing token of its
	 * own. A thread that holds the lock only in this mode cannot enter it in another one:
	 * it would wait for itself, and gets a {@link LockDefinitionException} instead.
	 */
	READ,

	/**
	 * One writer, no other holder. Readers that arrive while a writer waits queue behind
	 * it. The thread that holds the write lock may also acquire it for reading: it stays
	 * the writer until it has closed all of them, in any order.
	 */
	WRITE

}
