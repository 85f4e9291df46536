package io.github.distlock.backend.redis;

import io.github.distlock.contract.LockStoreContract;
import io.github.distlock.contract.StoreUnderTest;
import io.github.distlock.installed.Installed;
import org.junit.jupiter.api.Tag;

/**
 * The contract, on the Redis 7 of this machine, under a locale that does not compare
 * strings by their bytes.
 */
@Tag(Installed.TAG)
class CollatingRedisLockBackendTests extends LockStoreContract {

	@Override
	protected StoreUnderTest openStore() {
		return RedisStore.collating();
	}

}
