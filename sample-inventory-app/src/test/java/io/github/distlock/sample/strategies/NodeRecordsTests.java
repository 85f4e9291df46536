package io.github.distlock.sample.strategies;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.LongStream;

import io.github.distlock.sample.strategies.RecordLines.RecordedSale;
import io.github.distlock.sample.TestRedis;
import org.apache.curator.test.TestingServer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import redis.embedded.RedisServer;

import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The records of two nodes that sell the same article at the same time: one database, a
 * real Redis, a real ZooKeeper.
 */
class NodeRecordsTests {

	private static final int ORDERS = 48;

	private static final int STOCK = 40;

	private static Path folder = Path.of("target");

	private static final List<ConfigurableApplicationContext> nodes = new ArrayList<>();

	private static final HttpClient http = HttpClient.newHttpClient();

	private static RedisServer redis;

	private static TestingServer zooKeeper;

	@BeforeAll
	static void start(@TempDir Path temporary) throws Exception {
		folder = temporary;
		redis = TestRedis.start();
		int port = redis.ports().get(0);
		zooKeeper = new TestingServer();
		String database = "jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1;LOCK_TIMEOUT=60000";
		for (int node = 1; node <= 2; node++) {
			nodes.add(new SpringApplicationBuilder(NodeApplication.class).profiles("strategies")
				.run("--server.port=0", "--spring.data.redis.host=127.0.0.1", "--spring.data.redis.port=" + port,
						"--spring.datasource.url=" + database, "--sample.node.records=" + file(node),
						"--distlock.local.enabled=true", "--distlock.jdbc.enabled=true", "--distlock.jdbc.mode=lease",
						"--distlock.jdbc.initialize-schema=always", "--distlock.zookeeper.enabled=true",
						"--distlock.zookeeper.connect-string=" + zooKeeper.getConnectString()));
		}
	}

	@AfterAll
	static void stop() throws Exception {
		nodes.forEach(ConfigurableApplicationContext::close);
		nodes.clear();
		zooKeeper.close();
		redis.stop();
	}

	@ParameterizedTest
	@ValueSource(
			strings = { "mkdir", "setnx", "setnx-expire", "setnx-getset", "set-ex-fixed", "set-px-unique", "optimistic",
					"for-update", "segments", "distributed-lock", "redis", "redis-fair", "jdbc-lease", "zookeeper" })
	void underACorrectLockNoTwoSalesOverlap(String strategy) throws Exception {
		List<RecordedSale> sales = sell(strategy);
		assertThat(RecordLines.overlaps(sales)).isEmpty();
		assertThat(sales).filteredOn(RecordedSale::wrote)
			.extracting(RecordedSale::serial)
			.containsExactlyInAnyOrderElementsOf(LongStream.rangeClosed(1, STOCK).boxed().toList());
		// Only the sale of a crashed process has no end.
		assertThat(sales).extracting(RecordedSale::endType).doesNotContain("none");
		assertThat(sales).extracting((sale) -> sale.read().path("resource").asString())
			.allMatch((resource) -> resource.matches(strategy.equals("segments") ? "seat#\\d" : "seat"));
	}

	@ParameterizedTest
	@ValueSource(strings = { "none", "synchronized", "local" })
	void withoutALockForBothNodesSalesOverlap(String strategy) throws Exception {
		assertThat(RecordLines.overlaps(sell(strategy))).isNotEmpty();
	}

	@ParameterizedTest
	@ValueSource(strings = { "segments", "distributed-lock", "redis", "redis-fair", "jdbc-lease", "zookeeper" })
	void theTokensOfAResourceRiseInTheOrderOfItsSales(String strategy) throws Exception {
		List<RecordedSale> sales = sell(strategy);
		sales.stream().map(RecordedSale::resource).distinct().forEach((resource) -> {
			List<Long> tokens = sales.stream()
				.filter((sale) -> sale.resource().equals(resource))
				.map((sale) -> sale.read().path("token").asLong(-1))
				.toList();
			assertThat(tokens).isSorted().doesNotHaveDuplicates().doesNotContain(-1L);
		});
	}

	@Test
	void anOrderIsRecordedWithItsNumberAndItsTimesInOrder() throws Exception {
		for (RecordedSale sale : sell("setnx")) {
			assertThat(sale.read().path("order").asInt()).isBetween(1, ORDERS);
			assertThat(sale.read().path("strategy").asString()).isEqualTo("setnx");
			assertThat(sale.read().path("sku").asString()).isEqualTo("seat");
			assertThat(sale.read().has("token")).isFalse();
			assertThat(sale.read().path("arrived").asLong()).isLessThanOrEqualTo(sale.from());
			assertThat(sale.from()).isLessThan(sale.until());
		}
	}

	@Test
	void aRefusedAttemptOfAnOptimisticSaleIsASaleOfItsOwn() throws Exception {
		assertThat(sell("optimistic")).filteredOn((sale) -> !sale.wrote())
			.isNotEmpty()
			.extracting(RecordedSale::endType)
			.containsOnly("refused");
	}

	@Test
	void theLinesOfANodeAreNumberedWithoutAGap() throws Exception {
		sell("distributed-lock");
		for (int node = 1; node <= 2; node++) {
			RecordLines records = RecordLines.of(file(node));
			assertThat(records.numbers())
				.containsExactlyElementsOf(LongStream.rangeClosed(1, records.lines().size()).boxed().toList());
			assertThat(records.lines().get(0).path("type").asString()).isEqualTo("start");
			assertThat(records.lines().get(0).path("pid").asLong()).isEqualTo(ProcessHandle.current().pid());
		}
	}

	/**
	 * Order more than there is on both nodes, and return the sales of both.
	 */
	private static List<RecordedSale> sell(String strategy) throws Exception {
		send(0, "PUT", "/stock/seat?quantity=" + STOCK);
		List<Integer> before = List.of(RecordLines.of(file(1)).lines().size(), RecordLines.of(file(2)).lines().size());
		ExecutorService buyers = Executors.newFixedThreadPool(8);
		try {
			List<Future<?>> orders = new ArrayList<>();
			for (int order = 1; order <= ORDERS; order++) {
				int number = order;
				orders.add(buyers.submit(() -> {
					send(number % 2, "POST", "/stock/seat/deduct?strategy=%s&order=%d".formatted(strategy, number));
					return null;
				}));
			}
			for (Future<?> order : orders) {
				order.get();
			}
		}
		finally {
			buyers.shutdownNow();
		}
		List<RecordedSale> sales = new ArrayList<>();
		for (int node = 0; node < 2; node++) {
			sales.addAll(RecordLines.of(file(node + 1)).from(before.get(node)).sales());
		}
		sales.sort((one, other) -> Long.compare(one.from(), other.from()));
		return sales;
	}

	private static void send(int node, String method, String path) throws Exception {
		String port = nodes.get(node).getEnvironment().getRequiredProperty("local.server.port");
		HttpResponse<String> answer = http.send(HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path))
			.method(method, HttpRequest.BodyPublishers.noBody())
			.build(), HttpResponse.BodyHandlers.ofString());
		assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
	}

	private static Path file(int node) {
		return folder.resolve("inventory-%d.records.jsonl".formatted(node));
	}

}
