package io.github.distlock.backend.redis;

import io.github.distlock.contract.LockStoreContract;
import io.github.distlock.contract.StoreUnderTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/**
 * The contract, on a Redis Cluster of three masters. The store of a single Redis has it
 * in each build, and {@code ClusterTests} what is different in a cluster.
 */
@Tag("full")
@EnabledIfSystemProperty(named = "distlock.full", matches = "true",
		disabledReason = "The contract on one more topology: -Ddistlock.full=true runs it")
class ClusterStoreTests extends LockStoreContract {

	@Override
	protected StoreUnderTest openStore() {
		return RedisStore.cluster();
	}

}
