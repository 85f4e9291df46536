package io.github.distlock;

/**
 * How a lock is shared. Which modes a store offers is part of its description; a request
 * for a mode that the store does not offer is refused with
 * {@link LockDefinitionException}.
 */
public enum LockMode {

	/** One holder. Every store offers it. */
	EXCLUSIVE,

	/** Many readers, no writer. */
	READ,

	/** One writer, no reader. */
	WRITE

}
