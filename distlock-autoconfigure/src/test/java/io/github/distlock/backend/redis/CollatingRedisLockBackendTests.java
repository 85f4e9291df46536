package io.github.distlock.backend.redis;

import io.github.distlock.contract.LockStoreContract;
import io.github.distlock.contract.StoreUnderTest;

/**
 * The contract, on a Redis whose locale does not compare strings by their bytes.
 */
class CollatingRedisLockBackendTests extends LockStoreContract {

	@Override
	protected StoreUnderTest openStore() {
		return RedisStore.collating();
	}

}
