package io.github.distlock.sample.strategies;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

import io.github.distlock.sample.shop.StockRepository.Sale;
import io.github.distlock.sample.TestRedis;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import redis.embedded.RedisServer;

import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.data.redis.core.StringRedisTemplate;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.jdbc.datasource.embedded.EmbeddedDatabase;
import org.springframework.transaction.support.TransactionTemplate;
import org.springframework.web.server.ResponseStatusException;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * The hand-made locks in one JVM, over a real Redis and the real file system.
 */
class HandMadeLocksTests {

	/** Of this class alone: the lock of {@code mkdir} is a folder for all JVMs. */
	private static final String SKU = "hand-made";

	private static RedisServer server;

	private static LettuceConnectionFactory connections;

	private final EmbeddedDatabase database = TestStock.database();

	private final NodeProperties properties = TestStock.properties();

	private final Faults faults = new Faults(this.properties, TestStock.UNRECORDED);

	private final InstrumentedStock stock = TestStock.stock(this.database, Duration.ofMillis(1));

	@BeforeAll
	static void start() throws Exception {
		server = TestRedis.start();
		int port = server.ports().get(0);
		connections = new LettuceConnectionFactory(new RedisStandaloneConfiguration("127.0.0.1", port));
		connections.afterPropertiesSet();
		connections.start();
	}

	@AfterAll
	static void stop() throws Exception {
		connections.destroy();
		server.stop();
	}

	@BeforeEach
	void setStock() {
		this.stock.reset(SKU, 40);
	}

	@AfterEach
	void close() {
		this.database.shutdown();
	}

	@ParameterizedTest
	@ValueSource(strings = { "mkdir", "setnx", "setnx-expire", "setnx-getset", "set-ex-fixed", "set-px-unique",
			"optimistic" })
	void everyUnitIsSoldOnce(String step) throws Exception {
		StockStrategy strategy = make(step, new Polling(this.properties, TestStock.UNRECORDED));
		assertThat(order(strategy, 60)).filteredOn(Sale::accepted)
			.extracting(Sale::serial)
			.hasSize(40)
			.doesNotHaveDuplicates();
		assertThat(strategy.sell(SKU)).isEqualTo(Sale.soldOut());
	}

	@ParameterizedTest
	@ValueSource(strings = { "mkdir", "setnx", "setnx-expire" })
	void whatACrashedHolderLeftBlocksUntilItIsClearedByHand(String step) throws Exception {
		NodeProperties impatient = new NodeProperties(Duration.ofSeconds(10), Duration.ofMillis(500), true, null);
		StockStrategy strategy = make(step, new Polling(impatient, TestStock.UNRECORDED));
		if (step.equals("mkdir")) {
			Files
				.createDirectory(Path.of(System.getProperty("java.io.tmpdir", ""), "distlock-sample-" + SKU + ".lock"));
		}
		else {
			new StringRedisTemplate(connections).opsForValue().set(step + ":" + SKU, "taken");
		}
		assertThatExceptionOfType(ResponseStatusException.class).isThrownBy(() -> strategy.sell(SKU))
			.withMessageContaining("423")
			.withMessageContaining("is blocked: no caller on this node acquired it for PT0.5S");
		((ClearedByHand) strategy).clear(SKU);
		assertThat(strategy.sell(SKU).accepted()).isTrue();
	}

	private StockStrategy make(String step, Polling polling) {
		StringRedisTemplate redis = new StringRedisTemplate(connections);
		return switch (step) {
			case "mkdir" -> new MkdirStock(this.stock, polling);
			case "setnx" -> new SetnxStock(redis, this.stock, polling);
			case "setnx-expire" -> new SetnxExpireStock(redis, this.stock, polling, this.properties, this.faults);
			case "setnx-getset" -> new SetnxGetsetStock(redis, this.stock, polling, this.properties, this.faults);
			case "set-ex-fixed" -> new SetExFixedStock(redis, this.stock, polling, this.properties);
			case "set-px-unique" -> new SetPxUniqueStock(redis, this.stock, polling, this.properties);
			default -> new OptimisticStock(JdbcClient.create(this.database),
					new TransactionTemplate(new DataSourceTransactionManager(this.database)), this.stock);
		};
	}

	private static List<Sale> order(StockStrategy strategy, int orders) throws Exception {
		ExecutorService buyers = Executors.newFixedThreadPool(8);
		try {
			Callable<Sale> order = () -> strategy.sell(SKU);
			List<Sale> answers = new ArrayList<>();
			for (Future<Sale> answer : buyers.invokeAll(Collections.nCopies(orders, order))) {
				answers.add(answer.get());
			}
			return answers;
		}
		finally {
			buyers.shutdownNow();
		}
	}

}
