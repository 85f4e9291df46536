package io.github.distlock.lab.runs;

import java.io.IOException;
import java.net.URI;

import io.github.distlock.lab.processes.Http;
import io.github.distlock.lab.servers.StockLevel;
import tools.jackson.databind.json.JsonMapper;

/**
 * The services as buyers and the launcher see them: HTTP. Every call blocks for its
 * answer, and throws an {@link IOException} if there is none or it is not 2xx.
 */
public final class Shop {

	private final Http http = new Http();

	private final JsonMapper json = JsonMapper.builder().build();

	private final URI orders;

	private final URI inventory;

	/**
	 * Address the services.
	 * @param orders the order service
	 * @param inventory an inventory node
	 */
	public Shop(URI orders, URI inventory) {
		this.orders = orders;
		this.inventory = inventory;
	}

	void order(String sku, String strategy, long order) throws IOException, InterruptedException {
		this.http.send("POST",
				URI.create("%s/orders?sku=%s&strategy=%s&order=%d".formatted(this.orders, sku, strategy, order)));
	}

	void reset(String sku, int quantity) throws IOException, InterruptedException {
		this.http.send("PUT", URI.create("%s/stock/%s?quantity=%d".formatted(this.inventory, sku, quantity)));
	}

	/**
	 * Read an article.
	 * @param sku the article
	 * @return the article as the database has it
	 * @throws IOException if there is no good answer
	 * @throws InterruptedException if interrupted while waiting
	 */
	public StockLevel level(String sku) throws IOException, InterruptedException {
		return this.json.readValue(this.http.send("GET", URI.create("%s/stock/%s".formatted(this.inventory, sku))),
				StockLevel.class);
	}

}
