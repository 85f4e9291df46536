package io.github.distlock.backend.jdbc;

import io.github.distlock.contract.CallerContract;
import io.github.distlock.contract.StoreUnderTest;
import io.github.distlock.installed.Installed;
import org.junit.jupiter.api.Tag;

/**
 * The contract of callers on MariaDB, store {@code transaction}.
 */
@Tag(Installed.TAG)
class MariaDbTransactionTests extends CallerContract {

	@Override
	protected StoreUnderTest openStore() {
		return new TransactionUnderTest(TestDatabase.mariaDb());
	}

}
