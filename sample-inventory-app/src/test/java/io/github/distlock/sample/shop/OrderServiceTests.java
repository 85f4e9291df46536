package io.github.distlock.sample.shop;

import java.io.IOException;
import java.net.ConnectException;
import java.net.URI;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import org.springframework.http.HttpMethod;
import org.springframework.http.MediaType;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.embedded.EmbeddedDatabase;
import org.springframework.jdbc.datasource.embedded.EmbeddedDatabaseBuilder;
import org.springframework.jdbc.datasource.embedded.EmbeddedDatabaseType;
import org.springframework.test.web.client.MockRestServiceServer;
import org.springframework.web.client.ResourceAccessException;
import org.springframework.web.client.RestClient;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.springframework.test.web.client.match.MockRestRequestMatchers.method;
import static org.springframework.test.web.client.match.MockRestRequestMatchers.requestTo;
import static org.springframework.test.web.client.response.MockRestResponseCreators.withException;
import static org.springframework.test.web.client.response.MockRestResponseCreators.withSuccess;

/**
 * Orders and their way to the nodes.
 */
class OrderServiceTests {

	private static final URI ONE = URI.create("http://one");

	private static final URI TWO = URI.create("http://two");

	private final RestClient.Builder http = RestClient.builder();

	private final MockRestServiceServer nodes = MockRestServiceServer.bindTo(this.http).build();

	private final EmbeddedDatabase database = new EmbeddedDatabaseBuilder().generateUniqueName(true)
		.setType(EmbeddedDatabaseType.H2)
		.addScript("schema.sql")
		.build();

	private final JdbcClient jdbc = JdbcClient.create(this.database);

	private final OrderService orders = new OrderService(this.http, this.jdbc, List.of(ONE, TWO));

	@AfterEach
	void close() {
		this.database.shutdown();
	}

	@Test
	void acceptedOrdersAreKept() {
		expect("http://one/stock/ticket/deduct", "{\"accepted\":true,\"serial\":3}");
		expect("http://two/stock/ticket/deduct", "{\"accepted\":false}");
		this.orders.order("ticket", Map.of());
		this.orders.order("ticket", Map.of("sku", "ticket"));
		assertThat(this.jdbc.sql("SELECT sku, serial_number, node FROM orders").query().listOfRows())
			.containsExactly(Map.of("SKU", "ticket", "SERIAL_NUMBER", 3L, "NODE", "http://one"));
	}

	@Test
	void theNodesAreAskedInTurn() {
		expect("http://one/stock/ticket/deduct?strategy=none", "{\"accepted\":true,\"serial\":3}");
		expect("http://two/stock/ticket/deduct?strategy=none", "{\"accepted\":true,\"serial\":2}");
		expect("http://one/stock/ticket/deduct?strategy=none", "{\"accepted\":false}");
		assertThat(this.orders.order("ticket", Map.of("strategy", "none")))
			.isEqualTo(new OrderService.Order("ticket", true, 3L, ONE));
		assertThat(this.orders.order("ticket", Map.of("strategy", "none")))
			.isEqualTo(new OrderService.Order("ticket", true, 2L, TWO));
		assertThat(this.orders.order("ticket", Map.of("strategy", "none")))
			.isEqualTo(new OrderService.Order("ticket", false, null, ONE));
		this.nodes.verify();
	}

	@Test
	void aNodeThatDoesNotListenIsPassedOver() {
		this.nodes.expect(requestTo("http://one/stock/ticket/deduct?strategy=none"))
			.andRespond(withException(new ConnectException("refused")));
		expect("http://two/stock/ticket/deduct?strategy=none", "{\"accepted\":true,\"serial\":3}");
		assertThat(this.orders.order("ticket", Map.of("strategy", "none")))
			.isEqualTo(new OrderService.Order("ticket", true, 3L, TWO));
		this.nodes.verify();
	}

	@Test
	void anOrderThatMayHaveBeenPlacedIsNotPlacedElsewhere() {
		this.nodes.expect(requestTo("http://one/stock/ticket/deduct?strategy=none"))
			.andRespond(withException(new IOException("reset by peer")));
		assertThatExceptionOfType(ResourceAccessException.class)
			.isThrownBy(() -> this.orders.order("ticket", Map.of("strategy", "none")));
		this.nodes.verify();
	}

	@Test
	void whatABuyerWritesStaysInsideItsPlaceInTheAddress() {
		expect("http://one/stock/a%2Fb/deduct?strategy=x%26y%20%7Bz%7D", "{\"accepted\":false}");
		this.orders.order("a/b", Map.of("strategy", "x&y {z}"));
		this.nodes.verify();
	}

	@Test
	void theParametersOfAnOrderGoToTheNode() {
		Map<String, String> parameters = new LinkedHashMap<>();
		parameters.put("strategy", "none");
		parameters.put("order", "57");
		expect("http://one/stock/ticket/deduct?strategy=none&order=57", "{\"accepted\":true,\"serial\":3}");
		assertThat(this.orders.order("ticket", parameters)).isEqualTo(new OrderService.Order("ticket", true, 3L, ONE));
		this.nodes.verify();
	}

	private void expect(String uri, String answer) {
		this.nodes.expect(requestTo(uri))
			.andExpect(method(HttpMethod.POST))
			.andRespond(withSuccess(answer, MediaType.APPLICATION_JSON));
	}

}
