package io.github.distlock.backend.jdbc;

import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * The fence on the databases that Maven brings.
 */
@ParameterizedClass(name = "{0}")
@EnumSource(mode = EnumSource.Mode.MATCH_ALL, names = "(H2|POSTGRESQL)_.*")
class FenceTests extends FenceCases {

}
