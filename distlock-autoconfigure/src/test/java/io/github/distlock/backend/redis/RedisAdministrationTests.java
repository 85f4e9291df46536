package io.github.distlock.backend.redis;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;

import io.github.distlock.LockInstance;
import io.github.distlock.LockMode;
import io.github.distlock.backend.AttemptResult;
import io.github.distlock.backend.Grant;
import io.github.distlock.backend.LockSignals;
import io.github.distlock.backend.LockStore;
import io.github.distlock.backend.StoreAdministration;
import io.github.distlock.backend.StoreAdministration.EndResult;
import io.github.distlock.backend.StoreAdministration.SweepResult;
import io.github.distlock.backend.StoreContext;
import io.github.distlock.backend.Ticket;
import io.github.distlock.backend.TimeSource;
import io.github.distlock.testing.RedisTestServer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.data.redis.core.StringRedisTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * What operators need of Redis, beyond the contract of all stores.
 */
class RedisAdministrationTests {

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
		return open(prefix, new LockInstance(instance, "order service\u00e4", "host-7", 4711L, Instant.EPOCH));
	}

	private LockStore open(String prefix, LockInstance self) {
		LockStore store = new RedisLockBackend(connections,
				new RedisBackendSettings(prefix, Duration.ofSeconds(1), true, 17), TimeSource.SYSTEM)
			.open(new StoreContext(self, new Recorder()));
		this.stores.add(store);
		await().until(() -> "subscribed".equals(store.administration().channel()));
		return store;
	}

	private static Ticket ticket(String instance, String key, LockMode mode) {
		return new Ticket(key, mode, instance, numbers.incrementAndGet(), mode == LockMode.READ);
	}

	private static long hold(LockStore store, Ticket ticket) {
		return ((AttemptResult.Granted) store.attempt(ticket, LEASE, true)).grant().firstToken();
	}

	private static long calls(String command) {
		try (RedisConnection connection = connections.getConnection()) {
			return RedisTestServer.calls(connection, command);
		}
	}

	@Test
	void theLocationNamesTheServerAndThePrefix() {
		assertThat(open("shop:", "a").administration().location())
			.isEqualTo("Redis at 127.0.0.1:" + server.port() + ", prefix 'shop:'");
	}

	@Test
	void anEntryIsWrittenByOneCommandAndIsTheOnlyKey() {
		StoreAdministration administration = open("entry:", "a").administration();
		administration.announce();
		long before = calls("evalsha");
		administration.announce();
		assertThat(calls("evalsha")).isEqualTo(before + 1);
		assertThat(template.keys("entry:*")).containsExactly("entry:instances");
		assertThat(template.getExpire("entry:instances")).isBetween(1L, 30L);
		administration.withdraw();
		assertThat(template.keys("entry:*")).isEmpty();
	}

	@Test
	void anEntryThatHasExpiredIsNeitherListedNorKept() {
		StoreAdministration administration = open("expired:", "a").administration();
		String old = "old|1|0|host|application";
		template.opsForZSet().add("expired:instances", old, 1_000);
		assertThat(administration.instances()).isEmpty();
		administration.announce();
		assertThat(administration.instances()).singleElement()
			.satisfies((entry) -> assertThat(entry.instance().id()).isEqualTo("a"));
		assertThat(template.opsForZSet().score("expired:instances", old)).isNull();
	}

	@Test
	void anInstanceOfWhichOnlyTheIdIsKnownWritesNoEntry() {
		StoreAdministration administration = open("unknown:", LockInstance.of("a")).administration();
		administration.announce();
		administration.withdraw();
		assertThat(template.keys("unknown:*")).isEmpty();
	}

	@Test
	void theConnectionsOfAnInstanceCarryItsName() {
		open("name:", "a");
		try (RedisConnection connection = connections.getConnection()) {
			assertThat(connection.serverCommands().getClientList())
				.filteredOn((client) -> "distlock:order_service_@host-7:4711".equals(client.getName()))
				.hasSizeGreaterThanOrEqualTo(1);
		}
	}

	@Test
	void anInstanceIsAliveWhileItsInboxIsCountedAlthoughItHasNoEntry() {
		LockStore live = open("inbox:", "live");
		LockStore other = open("inbox:", "other");
		Ticket holder = ticket("live", "k", LockMode.EXCLUSIVE);
		hold(live, holder);
		assertThat(other.administration().endAll("live")).isEqualTo(SweepResult.ALIVE);
		assertThat(live.release(holder, 0, null).released()).isTrue();
		live.close();
		await().untilAsserted(
				() -> assertThat(other.administration().endAll("live")).isEqualTo(new SweepResult(false, 0, true)));
	}

	@Test
	void theSweepEndsWritersAndReadersOfOnePrefixOnly() {
		LockStore neighbour = open("sweeps:", "dead");
		LockStore dead = open("sweep?:", "dead");
		LockStore other = open("sweep?:", "other");
		Ticket kept = ticket("other", "kept-%{}", LockMode.EXCLUSIVE);
		hold(other, kept);
		Ticket reader = ticket("other", "read", LockMode.READ);
		hold(other, reader);
		hold(dead, ticket("dead", "read", LockMode.READ));
		hold(dead, ticket("dead", "read", LockMode.READ));
		IntStream.range(0, 250).forEach((i) -> hold(dead, ticket("dead", "{" + i + "}%", LockMode.WRITE)));
		Ticket ofNeighbour = ticket("dead", "k", LockMode.EXCLUSIVE);
		hold(neighbour, ofNeighbour);
		dead.close();
		long scans = calls("scan");
		await().untilAsserted(
				() -> assertThat(other.administration().endAll("dead")).isEqualTo(new SweepResult(false, 252, true)));
		assertThat(calls("scan")).isGreaterThan(scans);
		assertThat(other.release(kept, 0, null).released()).isTrue();
		assertThat(other.release(reader, 0, null).released()).isTrue();
		assertThat(neighbour.release(ofNeighbour, 0, null).released()).isTrue();
	}

	@Test
	void allReadersThatWaitEnterWhenTheGrantOfAWriterIsEnded() {
		LockStore store = open("many:", "a");
		long first = hold(store, ticket("a", "k", LockMode.WRITE));
		List<Ticket> readers = IntStream.range(0, 120).mapToObj((i) -> ticket("a", "k", LockMode.READ)).toList();
		readers.forEach((reader) -> store.attempt(reader, LEASE, true));
		assertThat(store.administration().inspect("k").waiting()).hasSize(120);
		assertThat(store.administration().end("k", first)).isEqualTo(EndResult.ENDED);
		await().untilAsserted(() -> assertThat(this.granted).containsKeys(readers.toArray(new Ticket[0])));
		assertThat(store.administration().inspect("k").holders()).hasSize(120);
	}

	@Test
	void anEarlierVersionOfTheLibrarySurvivesTheMessageThatAGrantWasEnded() {
		assertThat(List.of("ended|a:1|1795327601705791|distlock:lock:{k}", "ended|a:1|17|distlock:lock:{k|1|2|3|4}"))
			.allSatisfy((text) -> assertThatExceptionOfType(IllegalArgumentException.class).as("is caught and logged")
				.isThrownBy(() -> InboxMessage.GrantMessage.parse(text)));
	}

	@Test
	void aFullServerStillEndsAGrant() {
		LockStore store = open("full:", "a");
		long first = hold(store, ticket("a", "k", LockMode.EXCLUSIVE));
		try (RedisConnection connection = connections.getConnection()) {
			connection.serverCommands().setConfig("maxmemory", "1");
			assertThat(store.administration().end("k", first)).isEqualTo(EndResult.ENDED);
		}
		finally {
			try (RedisConnection connection = connections.getConnection()) {
				connection.serverCommands().setConfig("maxmemory", "0");
			}
		}
		assertThat(template.opsForValue().get("full:lock:{k}")).isEqualTo("|" + (first + 16));
	}

	private final class Recorder implements LockSignals {

		@Override
		public void granted(Ticket ticket, Grant grant) {
			RedisAdministrationTests.this.granted.put(ticket, grant);
		}

		@Override
		public void retry(Ticket ticket) {
		}

		@Override
		public void retryAll() {
		}

		@Override
		public void renewNow(Ticket ticket) {
		}

	}

}
