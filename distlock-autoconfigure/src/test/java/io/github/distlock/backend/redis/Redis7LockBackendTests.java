package io.github.distlock.backend.redis;

import io.github.distlock.contract.LockStoreContract;
import io.github.distlock.contract.StoreUnderTest;
import io.github.distlock.installed.Installed;
import org.junit.jupiter.api.Tag;

/**
 * The contract, on the Redis 7 of this machine.
 */
@Tag(Installed.TAG)
class Redis7LockBackendTests extends LockStoreContract {

	@Override
	protected StoreUnderTest openStore() {
		return RedisStore.installed();
	}

}
