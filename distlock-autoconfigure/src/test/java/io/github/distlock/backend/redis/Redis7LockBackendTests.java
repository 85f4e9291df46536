package io.github.distlock.backend.redis;

import io.github.distlock.contract.LockStoreContract;
import io.github.distlock.contract.StoreUnderTest;

/**
 * The contract, on the Redis 7 of this machine.
 */
class Redis7LockBackendTests extends LockStoreContract {

	@Override
	protected StoreUnderTest openStore() {
		return RedisStore.installed();
	}

}
