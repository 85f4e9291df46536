package io.github.distlock.sample.orders;

import java.net.URI;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

import org.jspecify.annotations.Nullable;

import org.springframework.stereotype.Component;
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
	 * Have the next node sell one unit. Blocks until it answers.
	 * @param sku the article
	 * @param strategy how the node protects its stock
	 * @return which node answered, and what
	 */
	Order sell(String sku, String strategy) {
		URI node = this.nodes.get(Math.floorMod(this.turn.getAndIncrement(), this.nodes.size()));
		Deduction deduction = this.http.post()
			.uri(node + "/stock/{sku}/deduct?strategy={strategy}", sku, strategy)
			.retrieve()
			.requiredBody(Deduction.class);
		return new Order(sku, deduction.accepted(), deduction.serial(), node);
	}

	private record Deduction(boolean accepted, @Nullable Long serial) {

	}

}
