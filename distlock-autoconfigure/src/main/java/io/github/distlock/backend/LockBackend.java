package io.github.distlock.backend;

import java.time.Duration;

/**
 * The adapter of one kind of lock store: it says what the store can do, and opens it. It
 * sends nothing itself. Thread-safe.
 */
public interface LockBackend {

	/**
	 * Describe what this store is and can do. Sends nothing; always returns the same.
	 * @return the description
	 */
	BackendDescription description();

	/**
	 * Check a lease before anything is sent for it.
	 * @param key the key to lock
	 * @param lease the lease in the store
	 * @throws io.github.distlock.LockDefinitionException if this store does not grant it
	 */
	default void validateLease(String key, Duration lease) {
	}

	/**
	 * Open the store for one JVM, or for one registry of it. Does not fail when the store
	 * cannot be reached: the open store connects in the background then. Each call opens
	 * another store, so a backend can be opened again after its store was closed.
	 * @param context the name of this JVM in the store, and the receiver of its signals;
	 * signals may arrive before this method returns
	 * @return the open store; the caller closes it
	 */
	LockStore open(StoreContext context);

}
