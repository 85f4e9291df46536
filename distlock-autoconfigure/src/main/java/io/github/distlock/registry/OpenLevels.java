package io.github.distlock.registry;

/**
 * Which levels are open after one of them was left.
 */
enum OpenLevels {

	/** There are open levels, and the lock is held as before. */
	SOME,

	/**
	 * All open levels read, and the last writing level was left: the caller downgrades
	 * the lock.
	 */
	READERS,

	/** No level is open: the caller ends the hold. */
	NONE

}
