package io.github.distlock.sample.launcher;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;

import tools.jackson.databind.json.JsonMapper;

/**
 * The services as buyers and the launcher see them: HTTP. Every call blocks for its
 * answer, and throws an {@link IOException} if there is none or it is not 2xx.
 */
final class Shop {

	// Longer than the lock's wait time: the service has the last word.
	private static final Duration TIMEOUT = Duration.ofSeconds(90);

	private final HttpClient http = HttpClient.newBuilder()
		.version(HttpClient.Version.HTTP_1_1)
		.connectTimeout(Duration.ofSeconds(5))
		.build();

	private final JsonMapper json = JsonMapper.builder().build();

	private final URI orders;

	private final URI inventory;

	Shop(URI orders, URI inventory) {
		this.orders = orders;
		this.inventory = inventory;
	}

	void order(String sku, String strategy) throws IOException, InterruptedException {
		send("POST", URI.create("%s/orders?sku=%s&strategy=%s".formatted(this.orders, sku, strategy)));
	}

	void reset(String sku, int quantity) throws IOException, InterruptedException {
		send("PUT", URI.create("%s/stock/%s?quantity=%d".formatted(this.inventory, sku, quantity)));
	}

	Level level(String sku) throws IOException, InterruptedException {
		return this.json.readValue(send("GET", URI.create("%s/stock/%s".formatted(this.inventory, sku))), Level.class);
	}

	private String send(String method, URI uri) throws IOException, InterruptedException {
		HttpRequest request = HttpRequest.newBuilder(uri)
			.method(method, HttpRequest.BodyPublishers.noBody())
			.timeout(TIMEOUT)
			.build();
		HttpResponse<String> response = this.http.send(request, HttpResponse.BodyHandlers.ofString());
		if (response.statusCode() / 100 != 2) {
			throw new IOException(
					"%s %s answered %d: %s".formatted(method, uri, response.statusCode(), response.body()));
		}
		return response.body();
	}

	/**
	 * An article in the database after a run.
	 *
	 * @param sku the article
	 * @param quantity units left in the {@code stock} table
	 * @param sold rows of the {@code sales} table
	 * @param serials distinct serial numbers in it
	 */
	record Level(String sku, long quantity, long sold, long serials) {

	}

}
