package io.github.distlock.backend.redis;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

import io.github.distlock.LockDefinitionException;
import io.github.distlock.LockInstance;
import io.github.distlock.LockMode;
import io.github.distlock.backend.AttemptResult;
import io.github.distlock.backend.Grant;
import io.github.distlock.backend.LockStore;
import io.github.distlock.backend.LockStore.Renewal;
import io.github.distlock.backend.LockStore.Successor;
import io.github.distlock.backend.RenewalResult;
import io.github.distlock.backend.StoreContext;
import io.github.distlock.backend.Ticket;
import io.github.distlock.backend.TimeSource;
import io.github.distlock.contract.Answers;
import io.github.distlock.testing.RedisTestServer;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * What Redis does beyond the contract of all stores, what that costs, and the names of
 * keys in Redis.
 */
class RedisLockStoreTests extends OnRedis {

	private static final Duration LEASE = Duration.ofSeconds(30);

	private static final AtomicLong numbers = new AtomicLong();

	private final List<LockStore> stores = new ArrayList<>();

	private final Map<Ticket, Grant> granted = new ConcurrentHashMap<>();

	@AfterEach
	void close() {
		this.stores.forEach(LockStore::close);
	}

	private LockStore open(String prefix, String instance) {
		return open(prefix, LockInstance.of(instance));
	}

	private LockStore open(String prefix, LockInstance self) {
		LockStore store = open(connections, prefix, self);
		await().until(() -> "subscribed".equals(store.channel()));
		return store;
	}

	private LockStore open(LettuceConnectionFactory factory, String prefix, LockInstance self) {
		LockStore store = new RedisLockBackend(factory, new RedisBackendSettings(prefix, TIMEOUT, true, 17),
				TimeSource.SYSTEM)
			.open(new StoreContext(self, this));
		this.stores.add(store);
		return store;
	}

	private static Ticket ticket(String instance, String key, LockMode mode) {
		return new Ticket(key, mode, instance, numbers.incrementAndGet(), mode == LockMode.READ);
	}

	private static AttemptResult attempt(LockStore store, Ticket ticket) {
		return Answers.of(store.attempt(ticket, LEASE, true));
	}

	private static Grant grant(LockStore store, Ticket ticket) {
		AttemptResult result = attempt(store, ticket);
		assertThat(result).isInstanceOf(Grant.class);
		return ((Grant) result);
	}

	private static long hold(LockStore store, Ticket ticket) {
		return grant(store, ticket).firstToken();
	}

	private static boolean release(LockStore store, Ticket ticket, long lastToken) {
		return Answers.of(store.release(ticket, lastToken, null)).released();
	}

	@Test
	void theLocationNamesTheServerAndThePrefix() {
		assertThat(open("shop:", "a").location()).isEqualTo("Redis at 127.0.0.1:" + server.port() + ", prefix 'shop:'");
	}

	@ParameterizedTest
	@CsvSource({ "order-service, distlock:order-service@host-7:4711", "\u8ba2\u5355, distlock:_.i6JTVQ.@host-7:4711" })
	void theConnectionsOfAnInstanceCarryItsName(String application, String name) {
		open("name:", new LockInstance("a", application, "host-7", 4711L));
		try (RedisConnection connection = connections.getConnection()) {
			assertThat(connection.serverCommands().getClientList())
				.filteredOn((client) -> name.equals(client.getName()))
				.hasSizeGreaterThanOrEqualTo(1);
		}
	}

	@ParameterizedTest
	@EnumSource
	void aTicketThatAFullServerCannotQueueIsTheNextThatAsksForTheLock(LockMode mode) {
		LockStore store = open("full:", "a");
		Ticket holder = ticket("a", "poll-" + mode, LockMode.EXCLUSIVE);
		long first = hold(store, holder);
		Ticket waiter = ticket("a", "poll-" + mode, mode);
		Ticket queued = ticket("a", "poll-" + mode, mode);
		attempt(store, queued);
		server.process().ask("CONFIG", "SET", "maxmemory", "1");
		try {
			for (Ticket ticket : List.of(waiter, queued)) {
				assertThat(attempt(store, ticket)).isInstanceOfSatisfying(AttemptResult.Queued.class, (answer) -> {
					assertThat(answer.retryAfter()).isLessThanOrEqualTo(Duration.ofMillis(200));
					assertThat(answer.holder()).isNotNull();
				});
			}
			Answers.of(store.cancel(queued));
			release(store, holder, first + 15);
			assertThat(attempt(store, waiter)).isInstanceOf(Grant.class);
		}
		finally {
			server.process().ask("CONFIG", "SET", "maxmemory", "0");
		}
	}

	@Test
	void oneReleaseLetsInMoreReadersThanOneScriptDoes() {
		LockStore store = open("release:", "a");
		Ticket writer = ticket("a", "k", LockMode.WRITE);
		hold(store, writer);
		List<Ticket> readers = IntStream.range(0, 130).mapToObj((i) -> ticket("a", "k", LockMode.READ)).toList();
		readers.forEach((reader) -> attempt(store, reader));
		assertThat(release(store, writer, 0)).isTrue();
		await().untilAsserted(() -> assertThat(this.granted).containsKeys(readers.toArray(new Ticket[0])));
		assertThat(this.granted.values()).allMatch((grant) -> grant.firstToken() == grant.lastToken());
	}

	@Test
	void readingCostsTwoScriptsAndNoMessage() {
		LockStore store = openChecked("reading:");
		// The first release of a connection sends its text.
		Ticket warm = ticket("a", "warm", LockMode.READ);
		release(store, warm, hold(store, warm));
		long scripts = server.process().calls("evalsha");
		long messages = server.process().calls("publish");
		for (int i = 0; i < 10; i++) {
			Ticket reader = ticket("a", "k", LockMode.READ);
			Grant grant = grant(store, reader);
			assertThat(grant.lastToken()).isEqualTo(grant.firstToken());
			assertThat(release(store, reader, grant.lastToken())).isTrue();
		}
		assertThat(server.process().calls("evalsha") - scripts).isEqualTo(20);
		assertThat(server.process().calls("publish") - messages).isZero();
	}

	/** Its inbox has been checked, so no probe is counted later. */
	private LockStore openChecked(String prefix) {
		long before = server.process().calls("publish");
		LockStore store = open(prefix, "a");
		await().until(() -> server.process().calls("publish") > before);
		return store;
	}

	@ParameterizedTest
	@CsvSource({ "EXCLUSIVE, false", "READ, false", "READ, true" })
	void aKeyOfAnotherTypeCostsNoNeighbour(LockMode mode, boolean readers) {
		LockStore store = open("renewal:", "a");
		List<Renewal> renewals = new ArrayList<>();
		for (int i = 0; i < 3; i++) {
			Ticket ticket = ticket("a", mode + "-" + readers + i, mode);
			renewals.add(new Renewal(ticket, grant(store, ticket).lastToken(), LEASE));
			if (mode == LockMode.READ) {
				grant(store, ticket("a", ticket.key(), mode));
			}
		}
		RedisKeys renewed = new RedisKeys("renewal:");
		String spoiled = renewals.get(1).ticket().key();
		String key = readers ? renewed.readers(spoiled) : renewed.lock(spoiled);
		template.delete(key);
		template.opsForList().leftPush(key, "of another application");
		List<RenewalResult> results = Answers.of(store.renew(renewals));
		assertThat(results.get(1)).isEqualTo(new RenewalResult.Gone(true));
		assertThat(List.of(results.get(0), results.get(2))).hasOnlyElementsOfType(RenewalResult.Extended.class);
	}

	@Test
	void aSuccessorWhoseJvmHearsNothingIsNotQueuedAndTheLockGoesOn() {
		server.process().ask("ACL", "SETUSER", "deaf", "on", ">password", "~*", "&*", "+@all", "-subscribe");
		LettuceConnectionFactory deafConnections = RedisTestServer.connectionFactory(server.port(), "deaf");
		LockStore one = open(deafConnections, "deaf:", LockInstance.of("one"));
		LockStore two = open("deaf:", "two");
		Ticket holder = ticket("one", "k", LockMode.EXCLUSIVE);
		long first = hold(one, holder);
		Ticket waiter = ticket("two", "k", LockMode.EXCLUSIVE);
		await().until(() -> attempt(two, waiter) instanceof AttemptResult.Queued queued && queued.queuedNow());
		AttemptResult next = Answers
			.of(one.release(holder, first, new Successor(ticket("one", "k", LockMode.EXCLUSIVE), LEASE)))
			.next();
		assertThat(release(two, waiter, hold(two, waiter))).isTrue();
		assertThat(next).isInstanceOfSatisfying(AttemptResult.Queued.class,
				(queued) -> assertThat(queued.queuedNow()).as("queued").isFalse());
		assertThat(Answers.of(two.attempt(ticket("two", "k", LockMode.EXCLUSIVE), LEASE, false)))
			.isInstanceOf(Grant.class);
		one.close();
		deafConnections.destroy();
	}

	@Override
	public void granted(Ticket ticket, Grant grant) {
		this.granted.put(ticket, grant);
	}

	private final RedisKeys keys = new RedisKeys("distlock:");

	@Test
	void differentKeysHaveDifferentNamesFromWhichTheyCanBeRead() {
		Set<String> names = new HashSet<>();
		for (String key : List.of("a", "{a}", "}a", "{}", "{", "}", "%", "%25", "%7B", "%257B", "a:queue", "a\nb",
				"lock:{a}", "\u9396", "a|b")) {
			String name = this.keys.lock(key);
			assertThat(names.add(name)).as(key).isTrue();
			assertThat(this.keys.keyOf(name)).isEqualTo(key);
			assertThat(names.add(this.keys.lockAndQueue(key).get(1))).isTrue();
		}
	}

	@Test
	void theUsersKeyIsTheHashTag() {
		for (String key : List.of("a", "{a}b", "}{", "{}x")) {
			for (String name : this.keys.lockAndQueue(key)) {
				assertThat(name.indexOf('{')).isEqualTo(name.lastIndexOf('{')).isPositive();
				assertThat(name.indexOf('}')).isEqualTo(name.length() - 1);
				assertThat(name.indexOf('}') - name.indexOf('{')).isGreaterThan(1);
			}
		}
	}

	@Test
	void aPrefixWithBracesIsRefused() {
		assertThatExceptionOfType(LockDefinitionException.class).isThrownBy(() -> new RedisKeys("my{app}:"))
			.withMessageContaining("my{app}:");
	}

}
