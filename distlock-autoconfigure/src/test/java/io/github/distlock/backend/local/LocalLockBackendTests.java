package io.github.distlock.backend.local;

import io.github.distlock.contract.LockStoreContract;
import io.github.distlock.contract.StoreUnderTest;

/**
 * The contract of a lock store, on the local store.
 */
class LocalLockBackendTests extends LockStoreContract {

	@Override
	protected StoreUnderTest openStore() {
		return new LocalStoreUnderTest();
	}

}
