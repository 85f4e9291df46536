package io.github.distlock.backend.jdbc;

import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * The fence on the databases that Maven brings.
 */
@ParameterizedClass(name = "{0}, JPA {1}")
@CsvSource({ "H2, false", "H2, true", "POSTGRESQL, false", "POSTGRESQL, true" })
class FenceTests extends FenceCases {

}
