package io.github.distlock.sample.strategies;

import java.util.List;
import java.util.Map;

import io.github.distlock.sample.shop.StockRepository.Sale;
import org.junit.jupiter.api.Test;

import org.springframework.http.converter.json.JacksonJsonHttpMessageConverter;
import org.springframework.test.web.servlet.assertj.MockMvcTester;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The choice of a strategy over HTTP.
 */
class StrategyControllerTests {

	private final MockMvcTester mvc = MockMvcTester
		.of(new StrategyController(Map.of("none", (sku) -> Sale.of(7), "distributed-lock", (sku) -> Sale.soldOut()),
				TestStock.UNRECORDED))
		.withHttpMessageConverters(List.of(new JacksonJsonHttpMessageConverter()));

	@Test
	void theCallerChoosesTheStrategyByItsName() {
		assertThat(this.mvc.post().uri("/stock/ticket/deduct?strategy=none")).hasStatusOk()
			.bodyJson()
			.isStrictlyEqualTo("{\"accepted\":true,\"serial\":7}");
	}

	@Test
	void anUnknownStrategyIsNamedWithTheOnesThatExist() {
		assertThat(this.mvc.post().uri("/stock/ticket/deduct?strategy=luck")).hasStatus(400)
			.failure()
			.hasMessageContaining("Strategy 'luck' is unknown: use one of [distributed-lock, none]");
	}

}
