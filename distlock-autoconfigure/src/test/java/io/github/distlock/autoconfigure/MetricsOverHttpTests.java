package io.github.distlock.autoconfigure;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;

import io.github.distlock.DistributedLock;
import io.github.distlock.LockNotAcquiredException;
import io.github.distlock.LockRegistry;
import io.github.distlock.LockRequest;
import io.github.distlock.testing.RedisTestServer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.micrometer.metrics.test.autoconfigure.AutoConfigureMetrics;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.context.annotation.Bean;
import org.springframework.test.annotation.DirtiesContext;
import org.springframework.test.context.DynamicPropertyRegistry;
import org.springframework.test.context.DynamicPropertySource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Metrics of a complete application over HTTP.
 */
@SpringBootTest(webEnvironment = WebEnvironment.RANDOM_PORT,
		properties = "management.endpoints.web.exposure.include=metrics,prometheus")
@AutoConfigureMetrics
@DirtiesContext
class MetricsOverHttpTests {

	private static final RedisTestServer redis = RedisTestServer.start();

	private final HttpClient http = HttpClient.newHttpClient();

	@LocalServerPort
	private int port;

	@Autowired
	private Shop shop;

	@Autowired
	private LockRegistry registry;

	@DynamicPropertySource
	static void redis(DynamicPropertyRegistry properties) {
		properties.add("spring.data.redis.port", redis::port);
	}

	@AfterAll
	static void stopRedis() {
		redis.close();
	}

	@Test
	void theMetersOfACallAreOnBothEndpoints() throws Exception {
		this.shop.sell("7");
		assertThat(get("/actuator/metrics/distlock.acquire")).contains("\"baseUnit\":\"seconds\"")
			.contains("\"Time from asking for a lock until it was granted or refused\"")
			.contains("\"Shop.sell\"")
			.contains("\"acquired\"")
			.doesNotContain("order-7");
		assertThat(get("/actuator/metrics/distlock.held?tag=backend:redis")).contains("\"value\":0");
		assertThat(get("/actuator/prometheus"))
			.containsPattern(
					"distlock_acquire_seconds_count\\{backend=\"redis\",name=\"Shop.sell\",outcome=\"acquired\"} [1-9]")
			.containsPattern("distlock_hold_seconds_count\\{backend=\"redis\",name=\"Shop.sell\"} [1-9]")
			.contains("distlock_lost_total{backend=\"redis\",name=\"Shop.sell\"} 0")
			.contains("distlock_held{backend=\"redis\"} 0")
			.contains("distlock_waiting{backend=\"redis\"} 0")
			.contains("distlock_renewals_total{backend=\"redis\",outcome=\"gone\"} 0")
			.contains("distlock_handoffs_total{backend=\"redis\",type=\"local\"} 0")
			.contains("# HELP distlock_held Locks held by this JVM now")
			.doesNotContain("order-7");
	}

	@Test
	void aCallThatDoesNotGetItsLockIsATimeout() throws Exception {
		try (var lock = this.registry.acquire(LockRequest.of("order-8"))) {
			assertThat(get("/actuator/prometheus")).contains("distlock_held{backend=\"redis\"} 1");
			assertThatExceptionOfType(LockNotAcquiredException.class)
				.isThrownBy(() -> inAnotherThread(() -> this.shop.sell("8")));
			assertThat(lock.isHeld()).isTrue();
		}
		assertThat(get("/actuator/prometheus"))
			.contains("distlock_acquire_seconds_count{backend=\"redis\",name=\"Shop.sell\",outcome=\"timeout\"} 1");
	}

	private static void inAnotherThread(Runnable action) throws Throwable {
		var task = new FutureTask<>(action, null);
		new Thread(task).start();
		try {
			task.get();
		}
		catch (ExecutionException ex) {
			throw (ex.getCause() != null) ? ex.getCause() : ex;
		}
	}

	private String get(String path) throws IOException, InterruptedException {
		HttpResponse<String> response = this.http.send(
				HttpRequest.newBuilder(URI.create("http://localhost:" + this.port + path)).build(),
				HttpResponse.BodyHandlers.ofString());
		assertThat(response.statusCode()).isEqualTo(200);
		return response.body();
	}

	@SpringBootConfiguration
	@EnableAutoConfiguration
	static class Application {

		@Bean
		Shop shop() {
			return new Shop();
		}

	}

	static class Shop {

		@DistributedLock(key = "'order-' + #id", waitTime = "50ms")
		void sell(String id) {
		}

	}

}
