package io.github.distlock.backend.jdbc;

import io.github.distlock.contract.LockStoreContract;
import io.github.distlock.contract.StoreUnderTest;

/**
 * The contract of a lock store on PostgreSQL, mode {@code connection}.
 */
class PostgreSqlConnectionTests extends LockStoreContract {

	@Override
	protected StoreUnderTest openStore() {
		return JdbcUnderTest.connection(TestDatabase.postgres());
	}

}
