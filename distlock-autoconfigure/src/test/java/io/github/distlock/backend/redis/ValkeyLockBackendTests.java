package io.github.distlock.backend.redis;

import io.github.distlock.contract.LockStoreContract;
import io.github.distlock.contract.StoreUnderTest;
import io.github.distlock.installed.Installed;
import org.junit.jupiter.api.Tag;

/**
 * The contract, on the Valkey of this machine: locks are taken and released by native
 * commands as well as by scripts.
 */
@Tag(Installed.TAG)
class ValkeyLockBackendTests extends LockStoreContract {

	@Override
	protected StoreUnderTest openStore() {
		return RedisStore.valkey();
	}

}
