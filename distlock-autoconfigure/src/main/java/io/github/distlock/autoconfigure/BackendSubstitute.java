package io.github.distlock.autoconfigure;

import io.github.distlock.backend.LockBackend;

/**
 * Creates the backends in place of all others. For the test slice, which is a module of
 * its own; no application uses it.
 */
public interface BackendSubstitute {

	/**
	 * Create a backend.
	 * @param name name of the backend that it replaces
	 * @param tokensPerGrant how many fencing tokens one grant covers
	 * @return the backend
	 */
	LockBackend backend(String name, int tokensPerGrant);

}
