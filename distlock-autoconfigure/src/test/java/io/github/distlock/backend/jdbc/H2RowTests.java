package io.github.distlock.backend.jdbc;

import io.github.distlock.contract.LockStoreContract;
import io.github.distlock.contract.StoreUnderTest;

/**
 * The contract, on H2 in mode row.
 */
class H2RowTests extends LockStoreContract {

	@Override
	protected StoreUnderTest openStore() {
		return JdbcUnderTest.row(TestDatabase.h2());
	}

}
