package io.github.distlock.sample.orders;

import java.io.IOException;
import java.net.ConnectException;
import java.net.URI;
import java.util.List;

import org.junit.jupiter.api.Test;

import org.springframework.http.HttpMethod;
import org.springframework.http.MediaType;
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
 * The order service's way to the nodes.
 */
class InventoryTests {

	private static final URI ONE = URI.create("http://one");

	private static final URI TWO = URI.create("http://two");

	private final RestClient.Builder http = RestClient.builder();

	private final MockRestServiceServer nodes = MockRestServiceServer.bindTo(this.http).build();

	private final Inventory inventory = new Inventory(this.http, new OrderProperties(List.of(ONE, TWO)));

	@Test
	void theNodesAreAskedInTurn() {
		expect("http://one/stock/ticket/deduct?strategy=none", "{\"accepted\":true,\"serial\":3}");
		expect("http://two/stock/ticket/deduct?strategy=none", "{\"accepted\":true,\"serial\":2}");
		expect("http://one/stock/ticket/deduct?strategy=none", "{\"accepted\":false}");
		assertThat(this.inventory.sell("ticket", "none", null)).isEqualTo(new Order("ticket", true, 3L, ONE));
		assertThat(this.inventory.sell("ticket", "none", null)).isEqualTo(new Order("ticket", true, 2L, TWO));
		assertThat(this.inventory.sell("ticket", "none", null)).isEqualTo(new Order("ticket", false, null, ONE));
		this.nodes.verify();
	}

	@Test
	void aNodeThatDoesNotListenIsPassedOver() {
		this.nodes.expect(requestTo("http://one/stock/ticket/deduct?strategy=none"))
			.andRespond(withException(new ConnectException("refused")));
		expect("http://two/stock/ticket/deduct?strategy=none", "{\"accepted\":true,\"serial\":3}");
		assertThat(this.inventory.sell("ticket", "none", null)).isEqualTo(new Order("ticket", true, 3L, TWO));
		this.nodes.verify();
	}

	@Test
	void anOrderThatMayHaveBeenPlacedIsNotPlacedElsewhere() {
		this.nodes.expect(requestTo("http://one/stock/ticket/deduct?strategy=none"))
			.andRespond(withException(new IOException("reset by peer")));
		assertThatExceptionOfType(ResourceAccessException.class)
			.isThrownBy(() -> this.inventory.sell("ticket", "none", null));
		this.nodes.verify();
	}

	@Test
	void whatABuyerWritesStaysInsideItsPlaceInTheAddress() {
		expect("http://one/stock/a%2Fb/deduct?strategy=x%26y", "{\"accepted\":false}");
		this.inventory.sell("a/b", "x&y", null);
		this.nodes.verify();
	}

	@Test
	void theNumberOfAnOrderGoesToTheNode() {
		expect("http://one/stock/ticket/deduct?strategy=none&order=57", "{\"accepted\":true,\"serial\":3}");
		assertThat(this.inventory.sell("ticket", "none", 57L)).isEqualTo(new Order("ticket", true, 3L, ONE));
		this.nodes.verify();
	}

	private void expect(String uri, String answer) {
		this.nodes.expect(requestTo(uri))
			.andExpect(method(HttpMethod.POST))
			.andRespond(withSuccess(answer, MediaType.APPLICATION_JSON));
	}

}
