package io.github.distlock.backend.redis;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;

import io.github.distlock.LockInstance;
import io.github.distlock.LockMode;
import io.github.distlock.backend.AttemptOptions;
import io.github.distlock.backend.AttemptResult;
import io.github.distlock.backend.Grant;
import io.github.distlock.backend.LockStore;
import io.github.distlock.backend.StoreContext;
import io.github.distlock.backend.StoreInspection;
import io.github.distlock.backend.StoreInspection.EndResult;
import io.github.distlock.backend.Ticket;
import io.github.distlock.backend.TimeSource;
import io.github.distlock.contract.Answers;
import io.github.distlock.testing.NoSignals;
import io.github.distlock.testing.RedisTestServer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.data.redis.core.StringRedisTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * What operators need of Redis, beyond the contract of all stores.
 */
class RedisInspectionTests {

	private static final Duration LEASE = Duration.ofSeconds(30);

	private static final AtomicLong numbers = new AtomicLong();

	private static RedisTestServer server;

	private static LettuceConnectionFactory connections;

	private static StringRedisTemplate template;

	private final List<LockStore> stores = new ArrayList<>();

	private final Map<Ticket, Grant> granted = new ConcurrentHashMap<>();

	@BeforeAll
	static void start() {
		server = RedisTestServer.start();
		connections = server.connectionFactory();
		template = new StringRedisTemplate(connections);
	}

	@AfterAll
	static void stop() {
		connections.destroy();
		server.close();
	}

	@AfterEach
	void close() {
		this.stores.forEach(LockStore::close);
	}

	private LockStore open(String prefix, String instance) {
		return open(prefix, LockInstance.of(instance));
	}

	private LockStore open(String prefix, LockInstance self) {
		LockStore store = new RedisLockBackend(connections,
				new RedisBackendSettings(prefix, Duration.ofSeconds(1), true, 17), TimeSource.SYSTEM)
			.open(new StoreContext(self, new Recorder()));
		this.stores.add(store);
		await().until(() -> "subscribed".equals(store.channel()));
		return store;
	}

	private static StoreInspection inspection(LockStore store) {
		return Objects.requireNonNull(store.inspection());
	}

	private static Ticket ticket(String instance, String key, LockMode mode) {
		return new Ticket(key, mode, instance, numbers.incrementAndGet(), mode == LockMode.READ);
	}

	private static long hold(LockStore store, Ticket ticket) {
		return ((AttemptResult.Granted) Answers.of(store.attempt(ticket, LEASE, AttemptOptions.queue(true)))).grant()
			.firstToken();
	}

	@Test
	void theLocationNamesTheServerAndThePrefix() {
		assertThat(open("shop:", "a").location()).isEqualTo("Redis at 127.0.0.1:" + server.port() + ", prefix 'shop:'");
	}

	@Test
	void theConnectionsOfAnInstanceCarryItsName() {
		open("name:", LockInstance.of("order-service@host-7:4711:a"));
		try (RedisConnection connection = connections.getConnection()) {
			assertThat(connection.serverCommands().getClientList())
				.filteredOn((client) -> "distlock:order-service@host-7:4711".equals(client.getName()))
				.hasSizeGreaterThanOrEqualTo(1);
		}
	}

	@Test
	void allReadersThatWaitEnterWhenTheGrantOfAWriterIsEnded() {
		LockStore store = open("many:", "a");
		long first = hold(store, ticket("a", "k", LockMode.WRITE));
		List<Ticket> readers = IntStream.range(0, 120).mapToObj((i) -> ticket("a", "k", LockMode.READ)).toList();
		readers.forEach((reader) -> Answers.of(store.attempt(reader, LEASE, AttemptOptions.queue(true))));
		assertThat(inspection(store).inspect("k").waiting()).hasSize(120);
		assertThat(inspection(store).end("k", first)).isEqualTo(EndResult.ENDED);
		await().untilAsserted(() -> assertThat(this.granted).containsKeys(readers.toArray(new Ticket[0])));
		assertThat(inspection(store).inspect("k").holders()).hasSize(120);
	}

	@Test
	void aFullServerStillEndsAGrant() {
		LockStore store = open("full:", "a");
		long first = hold(store, ticket("a", "k", LockMode.EXCLUSIVE));
		try (RedisConnection connection = connections.getConnection()) {
			connection.serverCommands().setConfig("maxmemory", "1");
			assertThat(inspection(store).end("k", first)).isEqualTo(EndResult.ENDED);
		}
		finally {
			try (RedisConnection connection = connections.getConnection()) {
				connection.serverCommands().setConfig("maxmemory", "0");
			}
		}
		assertThat(template.opsForValue().get("full:lock:{k}")).isEqualTo("|" + (first + 16));
	}

	private final class Recorder extends NoSignals {

		@Override
		public void granted(Ticket ticket, Grant grant) {
			RedisInspectionTests.this.granted.put(ticket, grant);
		}

	}

}
