package io.github.distlock.backend.jdbc;

import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * The store {@code transaction} on the databases that Maven brings.
 */
@ParameterizedClass(name = "{0}")
@EnumSource(names = { "H2", "POSTGRESQL" })
class TransactionStoreTests extends TransactionStoreCases {

}
