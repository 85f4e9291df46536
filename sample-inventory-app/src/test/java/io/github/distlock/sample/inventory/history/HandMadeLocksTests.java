package io.github.distlock.sample.inventory.history;

import java.net.InetAddress;
import java.net.ServerSocket;
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

import io.github.distlock.sample.inventory.ClearedByHand;
import io.github.distlock.sample.inventory.Deduction;
import io.github.distlock.sample.inventory.Faults;
import io.github.distlock.sample.inventory.InventoryProperties;
import io.github.distlock.sample.inventory.StockLedger;
import io.github.distlock.sample.inventory.StockService;
import io.github.distlock.sample.inventory.TestShop;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;
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
@Timeout(300)
class HandMadeLocksTests {

	private static RedisServer server;

	private static LettuceConnectionFactory connections;

	private final EmbeddedDatabase database = TestShop.database();

	private final InventoryProperties properties = TestShop.properties(Duration.ofMillis(1));

	private final Faults faults = TestShop.faults(this.properties);

	private final StockLedger ledger = TestShop.ledger(this.database, this.properties, this.faults);

	@BeforeAll
	static void start() throws Exception {
		int port;
		try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
			port = free.getLocalPort();
		}
		server = RedisServer.newRedisServer().port(port).bind("127.0.0.1").setting("save \"\"").build();
		server.start();
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
	void stock() {
		TestShop.stockUp(this.ledger, "ticket", 40);
	}

	@AfterEach
	void close() {
		this.database.shutdown();
	}

	@ParameterizedTest
	@ValueSource(strings = { "mkdir", "setnx", "setnx-expire", "setnx-getset", "set-ex-fixed", "set-px-unique",
			"optimistic" })
	void everyUnitIsSoldOnce(String step) throws Exception {
		StockService stock = make(step, new Patience(this.properties, TestShop.UNRECORDED));
		assertThat(order(stock, 60)).filteredOn(Deduction::accepted)
			.extracting(Deduction::serial)
			.hasSize(40)
			.doesNotHaveDuplicates();
		assertThat(stock.deduct("ticket")).isEqualTo(Deduction.soldOut());
	}

	@ParameterizedTest
	@ValueSource(strings = { "mkdir", "setnx", "setnx-expire" })
	void whatACrashedHolderLeftBlocksUntilItIsClearedByHand(String step) throws Exception {
		StockService stock = make(step, new Patience(TestShop.impatient(), TestShop.UNRECORDED));
		if (step.equals("mkdir")) {
			Files.createDirectory(Path.of(System.getProperty("java.io.tmpdir", ""), "distlock-sample-ticket.lock"));
		}
		else {
			new StringRedisTemplate(connections).opsForValue().set(step + ":ticket", "taken");
		}
		assertThatExceptionOfType(ResponseStatusException.class).isThrownBy(() -> stock.deduct("ticket"))
			.withMessageContaining("423")
			.withMessageContaining("is blocked: no caller on this node acquired it for PT0.5S");
		((ClearedByHand) stock).clear("ticket");
		assertThat(stock.deduct("ticket").accepted()).isTrue();
	}

	private StockService make(String step, Patience patience) {
		StringRedisTemplate redis = new StringRedisTemplate(connections);
		return switch (step) {
			case "mkdir" -> new MkdirStock(this.ledger, patience);
			case "setnx" -> new SetnxStock(redis, this.ledger, patience);
			case "setnx-expire" -> new SetnxExpireStock(redis, this.ledger, patience, this.properties, this.faults);
			case "setnx-getset" -> new SetnxGetsetStock(redis, this.ledger, patience, this.properties, this.faults);
			case "set-ex-fixed" -> new SetExFixedStock(redis, this.ledger, patience, this.properties);
			case "set-px-unique" -> new SetPxUniqueStock(redis, this.ledger, patience, this.properties);
			default -> new OptimisticStock(JdbcClient.create(this.database),
					new TransactionTemplate(new DataSourceTransactionManager(this.database)), this.ledger,
					TestShop.work(this.properties, this.faults), TestShop.UNRECORDED);
		};
	}

	private static List<Deduction> order(StockService stock, int orders) throws Exception {
		ExecutorService buyers = Executors.newFixedThreadPool(8);
		try {
			Callable<Deduction> order = () -> stock.deduct("ticket");
			List<Deduction> answers = new ArrayList<>();
			for (Future<Deduction> answer : buyers.invokeAll(Collections.nCopies(orders, order))) {
				answers.add(answer.get());
			}
			return answers;
		}
		finally {
			buyers.shutdownNow();
		}
	}

}
