package io.github.distlock.backend.jdbc;

import io.github.distlock.installed.Installed;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * The fence on MariaDB.
 */
@Tag(Installed.TAG)
@ParameterizedClass(name = "{0}, JPA {1}")
@CsvSource({ "MARIADB, false", "MARIADB, true" })
class MariaDbFenceTests extends FenceCases {

	/** Before each would open its pool. */
	@BeforeAll
	static void assumeMariaDb() {
		Database.MARIADB.open();
	}

}
