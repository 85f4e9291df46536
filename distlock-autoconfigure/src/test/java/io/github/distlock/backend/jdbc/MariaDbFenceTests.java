package io.github.distlock.backend.jdbc;

import io.github.distlock.installed.Installed;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * The fence on MariaDB.
 */
@Tag(Installed.TAG)
@ParameterizedClass(name = "{0}")
@EnumSource(mode = EnumSource.Mode.MATCH_ALL, names = "MARIADB.*")
class MariaDbFenceTests extends FenceCases {

	/** Before each would open its pool. */
	@BeforeAll
	static void assumeMariaDb() {
		Database.MARIADB.open();
	}

}
