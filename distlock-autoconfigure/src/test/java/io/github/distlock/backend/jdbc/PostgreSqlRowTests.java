package io.github.distlock.backend.jdbc;

import io.github.distlock.contract.LockStoreContract;
import io.github.distlock.contract.StoreUnderTest;

/**
 * The contract, on PostgreSQL in mode row.
 */
class PostgreSqlRowTests extends LockStoreContract {

	@Override
	protected StoreUnderTest openStore() {
		return JdbcUnderTest.row(TestDatabase.postgres());
	}

}
