package io.github.distlock;

/**
 * How a lock came from one holder to the next.
 */
public enum HandOff {

	/** It was free: nobody handed it on. */
	NONE,

	/** Inside the JVM, without a command to the store. */
	LOCAL,

	/** Through the store. */
	REMOTE

}
