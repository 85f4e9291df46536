package io.github.distlock.backend;

import io.github.distlock.LockBackendException;

/**
 * What every store does with the results of its commands.
 */
public final class StoreCalls {

	private StoreCalls() {
	}

	/**
	 * Return the failure of a command for a store that has been closed.
	 * @param store the name of the store
	 * @return the exception to throw
	 */
	public static LockBackendException closed(String store) {
		return new LockBackendException("The " + store + " lock store is not running: it works from the start of the"
				+ " application context until its shutdown");
	}

}
