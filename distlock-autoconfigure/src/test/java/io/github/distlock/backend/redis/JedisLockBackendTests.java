package io.github.distlock.backend.redis;

import io.github.distlock.contract.LockStoreContract;
import io.github.distlock.contract.StoreUnderTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/**
 * The contract, with Jedis. All JVMs share the pool of the application, so a connection
 * that goes back to it in a wrong state fails the commands of other tests.
 */
@Tag("full")
@EnabledIfSystemProperty(named = "distlock.full", matches = "true", disabledReason = "Set -Ddistlock.full=true")
class JedisLockBackendTests extends LockStoreContract {

	@Override
	protected StoreUnderTest openStore() {
		return RedisStore.jedis();
	}

}
