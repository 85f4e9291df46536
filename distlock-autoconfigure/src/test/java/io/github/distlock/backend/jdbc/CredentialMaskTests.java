package io.github.distlock.backend.jdbc;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Messages of drivers are shown without the credentials of their URLs.
 */
class CredentialMaskTests {

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
		assertThat(CredentialMask.mask(message)).isEqualTo(shown);
	}

}
