package io.github.distlock.backend.jdbc;

import io.github.distlock.contract.LockStoreContract;
import io.github.distlock.contract.StoreUnderTest;

/**
 * The contract, on MariaDB in mode row.
 */
class MariaDbRowTests extends LockStoreContract {

	@Override
	protected StoreUnderTest openStore() {
		return JdbcUnderTest.row(TestDatabase.mariaDb());
	}

}
