package io.github.distlock.testing;

import io.github.distlock.backend.LockBackend;
import io.github.distlock.backend.LockSignals;

/**
 * A store without a server: there is nothing to start, to stop or to check.
 */
public abstract class IdleStore implements LockBackend {

	@Override
	public void validateKey(String key) {
	}

	@Override
	public void start(String instance, LockSignals signals) {
	}

	@Override
	public void stop() {
	}

	@Override
	public void verify() {
	}

}
