package io.github.distlock.backend.jdbc;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * How a database is named in messages.
 */
class DatabaseLocationTests {

	@ParameterizedTest
	@ValueSource(strings = { "jdbc:postgresql://app:hidden@db1:5432/shop", "jdbc:postgresql://db1/shop?password=hidden",
			"jdbc:postgresql://app:hi@hidden@db1/shop", "jdbc:mysql://app:x?/hidden@db1/shop",
			"jdbc:mysql://address=(host=db1)(password=hidden)/shop", "jdbc:mysql://(host=db1,password=hidden)/shop",
			"jdbc:mariadb://app:a/hidden@db1/shop", "jdbc:h2:tcp://db1/~/shop;PASSWORD=a@hidden",
			"jdbc:h2:mem:shop;USER=sa;PASSWORD=hidden", "jdbc:mysql://app:p;hidden@db1/shop" })
	void noPartOfAPasswordIsInTheName(String url) {
		assertThat(DatabaseLocation.describe(null, url)).doesNotContain("hidden");
	}

	@ParameterizedTest
	@CsvSource({ "jdbc:postgresql://app:x@db1:5432/shop?ssl=true, PostgreSQL at jdbc:postgresql://db1:5432/shop",
			"jdbc:mariadb://db1/shop, MariaDB at jdbc:mariadb://db1/shop",
			"jdbc:h2:mem:shop;MODE=MySQL, H2 at jdbc:h2:mem:shop" })
	void theNameHasProductHostAndDatabase(String url, String name) {
		assertThat(DatabaseLocation.describe(null, url)).isEqualTo(name);
	}

	@Test
	void aDatabaseWithoutAUrlHasTheNameOfItsProduct() {
		assertThat(DatabaseLocation.describe(JdbcDialect.H2, null)).isEqualTo("H2");
		assertThat(DatabaseLocation.describe(null, null)).isEqualTo("a database");
	}

}
