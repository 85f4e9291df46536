package io.github.distlock.backend.jdbc;

import io.github.distlock.contract.CallerContract;
import io.github.distlock.contract.StoreUnderTest;

/**
 * The contract of callers on H2, store {@code transaction}.
 */
class H2TransactionTests extends CallerContract {

	@Override
	protected StoreUnderTest openStore() {
		return new TransactionUnderTest(TestDatabase.h2());
	}

}
