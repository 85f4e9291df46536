package io.github.distlock.sample.lab.launcher;

import java.io.IOException;
import java.net.URI;

import tools.jackson.databind.json.JsonMapper;

/**
 * The services as buyers and the launcher see them: HTTP. Every call blocks for its
 * answer, and throws an {@link IOException} if there is none or it is not 2xx.
 */
public final class Shop {

	/** The article that the runs sell. */
	public static final String ARTICLE = "ticket";

	private final Http http = new Http();

	private final JsonMapper json = JsonMapper.builder().build();

	private final URI orders;

	private final URI inventory;

	Shop(URI orders, URI inventory) {
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

	Level level(String sku) throws IOException, InterruptedException {
		return this.json.readValue(this.http.send("GET", URI.create("%s/stock/%s".formatted(this.inventory, sku))),
				Level.class);
	}

	/**
	 * An article in the database after a run.
	 *
	 * @param sku the article
	 * @param quantity units left in the {@code stock} table
	 * @param sold rows of the {@code sales} table
	 * @param serials distinct serial numbers in it
	 */
	public record Level(String sku, long quantity, long sold, long serials) {

	}

}
