package io.github.distlock.sample.orders;

import java.net.ConnectException;
import java.net.URI;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

import org.jspecify.annotations.Nullable;

import org.springframework.stereotype.Component;
import org.springframework.web.client.ResourceAccessException;
import org.springframework.web.client.RestClient;

/**
 * The inventory nodes, asked round robin.
 */
@Component
class Inventory {

	private final RestClient http;

	private final List<URI> nodes;

	private final AtomicInteger turn = new AtomicInteger();

	Inventory(RestClient.Builder http, OrderProperties properties) {
		this.http = http.build();
		this.nodes = List.copyOf(properties.inventoryNodes());
	}

	/**
	 * Ask the next node to sell one unit. If that node refuses the connection, the order
	 * has not been placed, and the node after it is asked. Blocks until a node answers.
	 * @param sku the article
	 * @param strategy how the node protects its stock
	 * @param order the buyer's number of this order, for the node's records
	 * @return which node answered, and what
	 */
	Order sell(String sku, String strategy, @Nullable Long order) {
		int first = this.turn.getAndIncrement();
		for (int next = 1; next < this.nodes.size(); next++) {
			try {
				return sell(sku, strategy, order, node(first++));
			}
			catch (ResourceAccessException ex) {
				if (!(ex.getCause() instanceof ConnectException)) {
					throw ex;
				}
			}
		}
		return sell(sku, strategy, order, node(first));
	}

	private URI node(int turn) {
		return this.nodes.get(Math.floorMod(turn, this.nodes.size()));
	}

	private Order sell(String sku, String strategy, @Nullable Long order, URI node) {
		String number = (order != null) ? "&order=" + order : "";
		Deduction deduction = this.http.post()
			.uri(node + "/stock/{sku}/deduct?strategy={strategy}" + number, sku, strategy)
			.retrieve()
			.requiredBody(Deduction.class);
		return new Order(sku, deduction.accepted(), deduction.serial(), node);
	}

	private record Deduction(boolean accepted, @Nullable Long serial) {

	}

}
