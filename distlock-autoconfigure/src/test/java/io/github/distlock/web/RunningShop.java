package io.github.distlock.web;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;

import io.github.distlock.LockRequest;
import io.github.distlock.registry.BackendLockRegistry;

import org.springframework.boot.WebApplicationType;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * The application with a server. Searches each body for what no client may learn.
 */
final class RunningShop implements AutoCloseable {

	private static final long PID = ProcessHandle.current().pid();

	private final HttpClient client = HttpClient.newHttpClient();

	private final ConfigurableApplicationContext context;

	private RunningShop(ConfigurableApplicationContext context) {
		this.context = context;
	}

	/**
	 * Start the application.
	 * @param type with or without servlets
	 * @param redisPort the port of the store
	 * @param further a further configuration, such as an advice
	 * @param properties further properties
	 */
	static RunningShop start(WebApplicationType type, int redisPort, Class<?> further, String... properties) {
		return new RunningShop(new SpringApplicationBuilder(ShopWeb.class, further).web(type)
			.properties("spring.main.banner-mode=off", "server.port=0", "server.address=127.0.0.1",
					"spring.data.redis.port=" + redisPort, "distlock.redis.command-timeout=9s",
					"spring.application.name=shop", "spring.datasource.url=jdbc:h2:mem:without-table",
					"distlock.jdbc.enabled=true", "distlock.jdbc.initialize-schema=never",
					"management.endpoints.web.exposure.include=stock", "distlock.shutdown-grace-period=0s")
			.properties(properties)
			.run());
	}

	/** Let a caller of this instance wait for the lock, until the application ends. */
	void waitForLock() {
		locks().acquireAsync(LockRequest.of(ShopWeb.KEY).waitTime(LockRequest.FOREVER));
		await().until(() -> locks().snapshot().waiting().size() == 1);
	}

	BackendLockRegistry locks() {
		return this.context.getBean("distlockRedisLockRegistry", BackendLockRegistry.class);
	}

	/** Send a request as a client that names no media type. */
	HttpResponse<String> get(String path) {
		return send(request(path).build());
	}

	HttpResponse<String> get(String path, String accept) {
		return send(request(path).header("Accept", accept).build());
	}

	private HttpRequest.Builder request(String path) {
		return HttpRequest.newBuilder(URI
			.create("http://127.0.0.1:" + this.context.getEnvironment().getProperty("local.server.port") + path));
	}

	private HttpResponse<String> send(HttpRequest request) {
		try {
			HttpResponse<String> response = this.client.send(request, HttpResponse.BodyHandlers.ofString());
			assertThat(response.body().replaceAll("\"timestamp\":\"[^\"]*\"|<div id='created'>[^<]*", ""))
				.as("HTTP status %s for %s", response.statusCode(), request)
				.doesNotContain(ShopWeb.KEY)
				.doesNotContain(InetAddress.getLocalHost().getHostName() + ":")
				.doesNotContainPattern("(?<!\\d)" + PID + "(?!\\d)")
				.doesNotContain("Redis")
				.doesNotContain("at io.github");
			return response;
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new IllegalStateException(ex);
		}
	}

	@Override
	public void close() {
		this.context.close();
	}

}
