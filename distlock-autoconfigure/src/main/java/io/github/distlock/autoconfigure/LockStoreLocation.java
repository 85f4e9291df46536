package io.github.distlock.autoconfigure;

/**
 * Describes where a lock store is, for messages.
 */
@FunctionalInterface
interface LockStoreLocation {

	/**
	 * Describe the store in a few words, without credentials.
	 * @return kind and address of the store
	 */
	String describe();

}
