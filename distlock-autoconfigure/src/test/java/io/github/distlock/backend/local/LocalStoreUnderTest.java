package io.github.distlock.backend.local;

import java.time.Duration;

import io.github.distlock.backend.LockBackend;
import io.github.distlock.backend.TimeSource;
import io.github.distlock.contract.StoreUnderTest;

/**
 * The local store under the contract.
 */
final class LocalStoreUnderTest implements StoreUnderTest {

	private final LocalStore store = new LocalStore(TimeSource.SYSTEM);

	@Override
	public LockBackend newBackend(TimeSource clock) {
		return new LocalLockBackend(this.store, 17, clock);
	}

	@Override
	public void clear() {
		this.store.clear();
	}

	@Override
	public long items() {
		return this.store.size();
	}

	@Override
	public Duration memory() {
		return Duration.ZERO;
	}

	@Override
	public void close() {
	}

}
