package io.github.distlock.backend.jdbc;

import io.github.distlock.contract.LockStoreContract;
import io.github.distlock.contract.StoreUnderTest;

/**
 * The contract of a lock store on H2, mode {@code connection}.
 */
class H2ConnectionTests extends LockStoreContract {

	@Override
	protected StoreUnderTest openStore() {
		return JdbcUnderTest.connection(TestDatabase.h2());
	}

}
