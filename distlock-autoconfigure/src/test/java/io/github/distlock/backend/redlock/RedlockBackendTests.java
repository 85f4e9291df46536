package io.github.distlock.backend.redlock;

import io.github.distlock.contract.LockStoreContract;
import io.github.distlock.contract.StoreUnderTest;

/**
 * The contract, on five Redis masters.
 */
class RedlockBackendTests extends LockStoreContract {

	@Override
	protected StoreUnderTest openStore() {
		return new RedlockTestStore();
	}

}
