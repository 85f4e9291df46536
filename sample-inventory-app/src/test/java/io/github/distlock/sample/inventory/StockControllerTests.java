package io.github.distlock.sample.inventory;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import org.springframework.http.converter.json.JacksonJsonHttpMessageConverter;
import org.springframework.jdbc.datasource.embedded.EmbeddedDatabase;
import org.springframework.test.web.servlet.assertj.MockMvcTester;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The inventory node over HTTP.
 */
class StockControllerTests {

	private final EmbeddedDatabase database = TestShop.database();

	private final StockLedger ledger = TestShop.ledger(this.database, Duration.ZERO);

	private final List<String> cleared = new ArrayList<>();

	private final Map<String, StockService> strategies = Map.of("none", (sku) -> Deduction.sold(7), "distributed-lock",
			(sku) -> Deduction.soldOut());

	private final MockMvcTester mvc = MockMvcTester
		.of(new StockController(this.strategies, List.of(this.cleared::add), this.ledger, TestShop.UNRECORDED))
		.withHttpMessageConverters(List.of(new JacksonJsonHttpMessageConverter()));

	@AfterEach
	void close() {
		this.database.shutdown();
	}

	@Test
	void theCallerChoosesTheStrategyByItsName() {
		assertThat(this.mvc.post().uri("/stock/ticket/deduct?strategy=none")).hasStatusOk()
			.bodyJson()
			.isStrictlyEqualTo("{\"accepted\":true,\"serial\":7}");
	}

	@Test
	void withoutAStrategyTheLockIsUsed() {
		assertThat(this.mvc.post().uri("/stock/ticket/deduct")).hasStatusOk()
			.bodyJson()
			.isStrictlyEqualTo("{\"accepted\":false,\"serial\":null}");
	}

	@Test
	void anUnknownStrategyIsNamedWithTheOnesThatExist() {
		assertThat(this.mvc.post().uri("/stock/ticket/deduct?strategy=luck")).hasStatus(400)
			.failure()
			.hasMessageContaining("Strategy 'luck' is unknown: use one of [distributed-lock, none]");
	}

	@Test
	void anUnknownArticleIsNotFound() {
		assertThat(this.mvc.get().uri("/stock/nothing")).hasStatus(404)
			.failure()
			.hasMessageContaining("PUT /stock/nothing?quantity=");
	}

	@Test
	void aResetClearsWhatACrashedHolderLeft() {
		this.mvc.put().uri("/stock/ticket?quantity=5").exchange();
		assertThat(this.cleared).containsExactly("ticket");
	}

	@Test
	void aResetSetsTheStockAndShowsIt() {
		String level = "{\"sku\":\"ticket\",\"quantity\":5,\"sold\":0,\"serials\":0}";
		assertThat(this.mvc.put().uri("/stock/ticket?quantity=5")).hasStatusOk().bodyJson().isStrictlyEqualTo(level);
		assertThat(this.mvc.get().uri("/stock/ticket")).hasStatusOk().bodyJson().isStrictlyEqualTo(level);
	}

}
