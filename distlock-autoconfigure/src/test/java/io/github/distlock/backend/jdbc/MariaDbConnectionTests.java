package io.github.distlock.backend.jdbc;

import io.github.distlock.contract.LockStoreContract;
import io.github.distlock.contract.StoreUnderTest;
import io.github.distlock.installed.Installed;
import org.junit.jupiter.api.Tag;

/**
 * The contract of a lock store on MariaDB, mode {@code connection}.
 */
@Tag(Installed.TAG)
class MariaDbConnectionTests extends LockStoreContract {

	@Override
	protected StoreUnderTest openStore() {
		return JdbcUnderTest.connection(TestDatabase.mariaDb());
	}

}
