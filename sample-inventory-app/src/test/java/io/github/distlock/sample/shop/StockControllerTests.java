package io.github.distlock.sample.shop;

import java.time.Duration;
import java.util.List;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import org.springframework.http.converter.json.JacksonJsonHttpMessageConverter;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.embedded.EmbeddedDatabase;
import org.springframework.jdbc.datasource.embedded.EmbeddedDatabaseBuilder;
import org.springframework.jdbc.datasource.embedded.EmbeddedDatabaseType;
import org.springframework.test.web.servlet.assertj.MockMvcTester;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The inventory node over HTTP.
 */
class StockControllerTests {

	private final EmbeddedDatabase database = new EmbeddedDatabaseBuilder().generateUniqueName(true)
		.setType(EmbeddedDatabaseType.H2)
		.addScript("schema.sql")
		.build();

	private final StockRepository stock = new StockRepository(JdbcClient.create(this.database), Duration.ZERO);

	private final MockMvcTester mvc = MockMvcTester.of(new StockController(new StockService(this.stock), this.stock))
		.withHttpMessageConverters(List.of(new JacksonJsonHttpMessageConverter()));

	@AfterEach
	void close() {
		this.database.shutdown();
	}

	@Test
	void aSaleNamesTheUnitAndARefusalHasNone() {
		this.stock.reset("ticket", 1);
		assertThat(this.mvc.post().uri("/stock/ticket/deduct")).hasStatusOk()
			.bodyJson()
			.isStrictlyEqualTo("{\"accepted\":true,\"serial\":1}");
		assertThat(this.mvc.post().uri("/stock/ticket/deduct")).hasStatusOk()
			.bodyJson()
			.isStrictlyEqualTo("{\"accepted\":false,\"serial\":null}");
	}

	@Test
	void anUnknownArticleIsNotFound() {
		assertThat(this.mvc.get().uri("/stock/nothing")).hasStatus(404)
			.failure()
			.hasMessageContaining("PUT /stock/nothing?quantity=");
	}

	@Test
	void aResetSetsTheStockAndShowsIt() {
		String level = "{\"sku\":\"ticket\",\"quantity\":5,\"sold\":0,\"serials\":0}";
		assertThat(this.mvc.put().uri("/stock/ticket?quantity=5")).hasStatusOk().bodyJson().isStrictlyEqualTo(level);
		assertThat(this.mvc.get().uri("/stock/ticket")).hasStatusOk().bodyJson().isStrictlyEqualTo(level);
	}

}
