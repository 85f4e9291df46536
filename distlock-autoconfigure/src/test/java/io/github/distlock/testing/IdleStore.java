package io.github.distlock.testing;

import io.github.distlock.backend.LockBackend;
import io.github.distlock.backend.LockStore;
import io.github.distlock.backend.StoreContext;

/**
 * A store without a server: there is nothing to open, to close or to check. It is its own
 * backend.
 */
public abstract class IdleStore implements LockBackend, LockStore {

	@Override
	public void validateKey(String key) {
	}

	@Override
	public LockStore open(StoreContext context) {
		return this;
	}

	@Override
	public void close() {
	}

	@Override
	public void verify() {
	}

}
