package io.github.distlock.sample.shop;

import java.net.ConnectException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;

import io.github.distlock.sample.shop.StockRepository.Sale;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.annotation.Value;
import org.springframework.context.annotation.Profile;
import org.springframework.http.HttpStatus;
import org.springframework.http.ProblemDetail;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.client.HttpClientErrorException;
import org.springframework.web.client.HttpServerErrorException;
import org.springframework.web.client.ResourceAccessException;
import org.springframework.web.client.RestClient;
import org.springframework.web.client.RestClientException;
import org.springframework.web.util.UriComponentsBuilder;
import org.springframework.web.util.UriUtils;

/**
 * Takes orders, passes them to the inventory nodes in turn, and keeps those that were
 * accepted in a database of its own. It has no lock.
 */
@RestController
@Profile("orders")
public class OrderService {

	private final RestClient http;

	private final JdbcClient jdbc;

	private final List<URI> nodes;

	private final AtomicInteger turn = new AtomicInteger();

	OrderService(RestClient.Builder http, JdbcClient jdbc, @Value("${shop.nodes}") List<URI> nodes) {
		this.http = http.build();
		this.jdbc = jdbc;
		this.nodes = nodes;
	}

	@PostMapping("/orders")
	Order order(@RequestParam(defaultValue = "ticket") String sku, @RequestParam Map<String, String> parameters) {
		Order order = place(sku, parameters);
		if (order.accepted()) {
			this.jdbc.sql("INSERT INTO orders (sku, serial_number, node) VALUES (?, ?, ?)")
				.param(sku)
				.param(order.serial())
				.param(order.node().toString())
				.update();
		}
		return order;
	}

	/** A node that refuses the connection has not got the order: the next one gets it. */
	private Order place(String sku, Map<String, String> parameters) {
		int first = this.turn.getAndIncrement();
		for (int skipped = 0;; skipped++) {
			URI node = this.nodes.get(Math.floorMod(first + skipped, this.nodes.size()));
			try {
				Sale sale = this.http.post().uri(address(node, sku, parameters)).retrieve().requiredBody(Sale.class);
				return new Order(sku, sale.accepted(), sale.serial(), node);
			}
			catch (ResourceAccessException ex) {
				if (!(ex.getCause() instanceof ConnectException) || skipped + 1 == this.nodes.size()) {
					throw ex;
				}
			}
		}
	}

	private static URI address(URI node, String sku, Map<String, String> parameters) {
		UriComponentsBuilder address = UriComponentsBuilder.fromUri(node).pathSegment("stock", encode(sku), "deduct");
		parameters.forEach((name, value) -> {
			if (!name.equals("sku")) {
				address.queryParam(encode(name), encode(value));
			}
		});
		return address.build(true).toUri();
	}

	private static String encode(String text) {
		return UriUtils.encode(text, StandardCharsets.UTF_8);
	}

	@ExceptionHandler
	ProblemDetail refused(HttpClientErrorException ex) {
		return ProblemDetail.forStatusAndDetail(ex.getStatusCode(), "Inventory: " + ex.getResponseBodyAsString());
	}

	@ExceptionHandler
	ProblemDetail blocked(HttpServerErrorException.ServiceUnavailable ex) {
		return ProblemDetail.forStatusAndDetail(ex.getStatusCode(), "Inventory: " + ex.getResponseBodyAsString());
	}

	@ExceptionHandler
	ProblemDetail failed(RestClientException ex) {
		return ProblemDetail.forStatusAndDetail(HttpStatus.BAD_GATEWAY, "Inventory: " + ex.getMessage());
	}

	/**
	 * The answer to an order.
	 *
	 * @param sku the article
	 * @param accepted whether the buyer gets a unit; {@code false} if nothing was left
	 * @param serial the serial number of the unit, or {@code null}
	 * @param node the node that decided
	 */
	public record Order(String sku, boolean accepted, @Nullable Long serial, URI node) {
	}

}
