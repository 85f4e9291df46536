package io.github.distlock.backend.zookeeper;

import io.github.distlock.contract.LockStoreContract;
import io.github.distlock.contract.StoreUnderTest;

/**
 * The contract of a lock store, on ZooKeeper.
 */
class ZooKeeperLockBackendTests extends LockStoreContract {

	@Override
	protected StoreUnderTest openStore() {
		return new ZooKeeperStoreUnderTest();
	}

}
