package io.github.distlock;

/**
 * How a lock came from one holder to the next.
 */
public enum HandOff {

	/** The lock was free: no other holder passed it on. */
	NONE,

	/** Inside this JVM, without a command to the store. */
	LOCAL,

	/** Through the store. */
	REMOTE,

	/**
	 * From an earlier holder of this JVM, which had left: the JVM had kept the lock, so
	 * no command to the store was needed.
	 */
	KEPT

}
