package io.github.distlock.backend.jdbc;

import io.github.distlock.contract.CallerContract;
import io.github.distlock.contract.StoreUnderTest;

/**
 * The contract of callers on PostgreSQL, store {@code transaction}.
 */
class PostgreSqlTransactionTests extends CallerContract {

	@Override
	protected StoreUnderTest openStore() {
		return new TransactionUnderTest(TestDatabase.postgres());
	}

}
