package io.github.distlock.sample.strategies;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.stream.Collectors;

import io.github.distlock.sample.TestRedis;
import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.sdk.testing.exporter.InMemorySpanExporter;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import org.junit.jupiter.api.Test;
import redis.embedded.RedisServer;

import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.test.context.TestConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The trace of one sale: what it waits for, and what it does under its lock.
 */
class TraceTests {

	private static final String LOCK = "StockService.sell";

	@Test
	void oneTraceShowsTheRequestTheAcquisitionTheSectionAndItsStatements() throws Exception {
		RedisServer redis = TestRedis.start();
		try (ConfigurableApplicationContext node = start(redis.ports().get(0))) {
			send(node, "PUT", "/stock/ticket?quantity=5");
			List<SpanData> sale = traceOf(node, "POST", "/stock/ticket/deduct");
			SpanData request = one(sale, "http post /stock/{sku}/deduct");
			assertThat(request.getParentSpanContext().isValid()).isFalse();
			SpanData acquisition = one(sale, "acquire " + LOCK);
			SpanData section = one(sale, "section " + LOCK);
			assertThat(acquisition.getParentSpanId()).isEqualTo(request.getSpanId());
			assertThat(section.getParentSpanId()).isEqualTo(request.getSpanId());
			assertThat(section.getStartEpochNanos()).isGreaterThanOrEqualTo(acquisition.getEndEpochNanos());
			assertThat(sale).filteredOn((span) -> isInside(span, acquisition, sale))
				.isNotEmpty()
				.allSatisfy((span) -> assertThat(attributes(span)).containsEntry("db.system", "redis"));
			assertThat(attributes(acquisition)).containsEntry("distlock.backend", "redis")
				.containsEntry("distlock.name", LOCK)
				.containsEntry("outcome", "acquired")
				.containsEntry("distlock.key", "stock-ticket")
				.containsKey("distlock.fencing_token");
			assertThat(attributes(section)).containsEntry("outcome", "success")
				.containsEntry("distlock.fencing_token", attributes(acquisition).get("distlock.fencing_token"));
			List<String> statements = sale.stream()
				.filter((span) -> isInside(span, section, sale))
				.map((span) -> attributes(span).get("jdbc.query[0]"))
				.filter((statement) -> statement != null)
				.map((statement) -> statement.substring(0, statement.indexOf(' ')))
				.toList();
			assertThat(statements).startsWith("SELECT", "SET", "MERGE")
				.endsWith("SELECT", "UPDATE", "INSERT")
				.hasSize(8);
		}
		finally {
			redis.stop();
		}
	}

	private static ConfigurableApplicationContext start(int redis) {
		return new SpringApplicationBuilder(NodeApplication.class, Exporting.class).profiles("strategies")
			.run("--server.port=0", "--spring.data.redis.host=127.0.0.1", "--spring.data.redis.port=" + redis,
					"--spring.datasource.url=jdbc:h2:mem:" + UUID.randomUUID(), "--distlock.observations.section=true",
					"--distlock.observations.keys=true", "--management.tracing.sampling.probability=1");
	}

	/**
	 * Send a request and return the spans of its trace, in the order in which they began.
	 */
	private static List<SpanData> traceOf(ConfigurableApplicationContext node, String method, String path)
			throws Exception {
		InMemorySpanExporter exporter = node.getBean(InMemorySpanExporter.class);
		flush(node);
		exporter.reset();
		send(node, method, path);
		// The span of the request ends after its response has been sent.
		SpanData[] request = new SpanData[1];
		while (request[0] == null) {
			flush(node);
			exporter.getFinishedSpanItems()
				.stream()
				// The span of an earlier request may end only now.
				.filter((span) -> span.getName().startsWith("http " + method.toLowerCase(Locale.ROOT)))
				.findFirst()
				.ifPresent((span) -> request[0] = span);
		}
		return exporter.getFinishedSpanItems()
			.stream()
			.filter((span) -> span.getTraceId().equals(request[0].getTraceId()))
			.sorted((one, other) -> Long.compare(one.getStartEpochNanos(), other.getStartEpochNanos()))
			.toList();
	}

	private static void flush(ConfigurableApplicationContext node) {
		node.getBean(SdkTracerProvider.class).forceFlush().join(10, TimeUnit.SECONDS);
	}

	private static void send(ConfigurableApplicationContext node, String method, String path) throws Exception {
		String port = node.getEnvironment().getRequiredProperty("local.server.port");
		HttpResponse<String> answer = HttpClient.newHttpClient()
			.send(HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path))
				.method(method, HttpRequest.BodyPublishers.noBody())
				.timeout(Duration.ofSeconds(30))
				.build(), HttpResponse.BodyHandlers.ofString());
		assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
	}

	private static SpanData one(List<SpanData> trace, String name) {
		assertThat(trace).extracting(SpanData::getName).containsOnlyOnce(name);
		return trace.stream().filter((span) -> span.getName().equals(name)).findFirst().orElseThrow();
	}

	/** Whether a span is a descendant of another one. */
	private static boolean isInside(SpanData span, SpanData outer, List<SpanData> trace) {
		Map<String, SpanData> byId = trace.stream().collect(Collectors.toMap(SpanData::getSpanId, Function.identity()));
		SpanData current = span;
		while (current != null && current != outer) {
			current = byId.get(current.getParentSpanId());
		}
		return current == outer && span != outer;
	}

	private static Map<String, String> attributes(SpanData span) {
		return span.getAttributes()
			.asMap()
			.entrySet()
			.stream()
			.collect(Collectors.toMap((entry) -> ((AttributeKey<?>) entry.getKey()).getKey(),
					(entry) -> String.valueOf(entry.getValue())));
	}

	@TestConfiguration(proxyBeanMethods = false)
	static class Exporting {

		@Bean
		InMemorySpanExporter exporter() {
			return InMemorySpanExporter.create();
		}

	}

}
