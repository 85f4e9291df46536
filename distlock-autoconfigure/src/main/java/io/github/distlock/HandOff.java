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
	REMOTE

}
