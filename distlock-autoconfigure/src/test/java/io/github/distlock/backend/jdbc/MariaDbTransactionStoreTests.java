package io.github.distlock.backend.jdbc;

import io.github.distlock.installed.Installed;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * The store {@code transaction} on MariaDB.
 */
@Tag(Installed.TAG)
@ParameterizedClass(name = "{0}")
@EnumSource(names = "MARIADB")
class MariaDbTransactionStoreTests extends TransactionStoreCases {

}
