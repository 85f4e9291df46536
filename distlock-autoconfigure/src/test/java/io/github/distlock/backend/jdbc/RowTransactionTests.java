package io.github.distlock.backend.jdbc;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The names of tickets in the names of sessions, which have 63 bytes at most.
 */
class RowTransactionTests {

	@ParameterizedTest
	@CsvSource({ "qOat-hTuVbo:2,qOat-hTuVbo:2", "shop@host-7:4711:3w5e11264sgsf:2,shop@host-7:4711:3w5e11264sgsf:2",
			"order-services@host-7:4711:3w5e11264sgsf:2,order-service@host-7:4711:3w5e11264sgsf:2",
			"shop@order-service-7d9f8c6b5d-x2x7k:1:3w5e11264sgsf:2,shop@order-service-7d9f:1:3w5e11264sgsf:2",
			"order-service@order-service-7d9f8c6b5d:1:3w5e11264sgsf:2,order-servi@order-servi:1:3w5e11264sgsf:2" })
	void applicationAndHostAreCut(String ticket, String shown) {
		assertThat(RowTransaction.shownName(ticket)).isEqualTo(shown).hasSizeLessThanOrEqualTo(41);
	}

}
