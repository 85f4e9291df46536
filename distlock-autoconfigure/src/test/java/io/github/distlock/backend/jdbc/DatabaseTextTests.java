package io.github.distlock.backend.jdbc;

import io.github.distlock.backend.jdbc.JdbcExceptionTranslator.DatabaseText;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * How a database is named in messages, and messages of drivers without the credentials of
 * their URLs.
 */
class DatabaseTextTests {

	@ParameterizedTest
	@ValueSource(strings = { "jdbc:postgresql://app:hidden@db1:5432/shop", "jdbc:postgresql://db1/shop?password=hidden",
			"jdbc:postgresql://app:hi@hidden@db1/shop", "jdbc:mysql://app:x?/hidden@db1/shop",
			"jdbc:mysql://address=(host=db1)(password=hidden)/shop", "jdbc:mysql://(host=db1,password=hidden)/shop",
			"jdbc:mariadb://app:a/hidden@db1/shop", "jdbc:h2:tcp://db1/~/shop;PASSWORD=a@hidden",
			"jdbc:h2:mem:shop;USER=sa;PASSWORD=hidden", "jdbc:mysql://app:p;hidden@db1/shop" })
	void noPartOfAPasswordIsInTheName(String url) {
		assertThat(DatabaseText.location(null, url)).doesNotContain("hidden");
	}

	@ParameterizedTest
	@CsvSource({ "jdbc:postgresql://app:x@db1:5432/shop?ssl=true, PostgreSQL at jdbc:postgresql://db1:5432/shop",
			"jdbc:mariadb://db1/shop, MariaDB at jdbc:mariadb://db1/shop",
			"jdbc:h2:mem:shop;MODE=MySQL, H2 at jdbc:h2:mem:shop" })
	void theNameHasProductHostAndDatabase(String url, String name) {
		assertThat(DatabaseText.location(null, url)).isEqualTo(name);
	}

	@Test
	void aDatabaseWithoutAUrlHasTheNameOfItsProduct() {
		assertThat(DatabaseText.location(JdbcDialect.H2, null)).isEqualTo("H2");
		assertThat(DatabaseText.location(null, null)).isEqualTo("a database");
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|',
			textBlock = """
					Connection to db:5432 refused. Check that it runs | Connection to db:5432 refused. Check that it runs
					FATAL: password authentication failed for user "shop" | FATAL: password authentication failed for user "shop"
					Access denied for user 'shop'@'127.0.0.1' (using password: YES) | Access denied for user 'shop'@'127.0.0.1' (using password: YES)
					not a URL: jdbc:postgresql://shop:secret@db/x | not a URL: ...@db/x
					caused by: shop:secret@127.0.0.1 | caused by: ...@127.0.0.1
					Incorrect port value : secret@127.0.0.1 | Incorrect port value : ...@127.0.0.1
					no: jdbc:oracle:thin:shop/secret@db | no: ...@db
					no: jdbc:mysql://db/x?user=shop&password=secret&ssl=true | no: jdbc:mysql://db/x?user=...&password=...&ssl=true
					no: jdbc:h2:tcp:x;USER=shop;PASSWORD=secret | no: jdbc:h2:tcp:x;USER=...;PASSWORD=...
					""")
	void credentialsAreReplacedAndOtherTextIsKept(String message, String shown) {
		assertThat(DatabaseText.mask(message)).isEqualTo(shown);
	}

}
