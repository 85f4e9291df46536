package io.github.distlock.autoconfigure;

/**
 * Where the lock store is, for those who have to mend it.
 */
@FunctionalInterface
interface LockStoreLocation {

	/**
	 * Say it in a few words, without credentials.
	 * @return the kind of store and its address
	 */
	String describe();

}
