package io.github.distlock.backend.redis;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;

import io.github.distlock.LockInstance;
import io.github.distlock.LockMode;
import io.github.distlock.backend.AttemptOptions;
import io.github.distlock.backend.AttemptResult;
import io.github.distlock.backend.Grant;
import io.github.distlock.backend.LockStore;
import io.github.distlock.backend.LockStore.Renewal;
import io.github.distlock.backend.RenewalResult;
import io.github.distlock.backend.StoreContext;
import io.github.distlock.backend.Ticket;
import io.github.distlock.backend.TimeSource;
import io.github.distlock.contract.Answers;
import io.github.distlock.testing.NoSignals;
import io.github.distlock.testing.RedisTestServer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * The cost of readers and writers in Redis, and the results of its answers.
 */
class RedisReadersTests {

	private static final Duration LEASE = Duration.ofSeconds(20);

	private static final AtomicLong numbers = new AtomicLong();

	private static final Map<Ticket, Grant> granted = new ConcurrentHashMap<>();

	private static RedisTestServer server;

	private static LettuceConnectionFactory connections;

	private static LockStore store;

	@BeforeAll
	static void start() {
		server = RedisTestServer.start();
		connections = server.connectionFactory();
		store = new RedisLockBackend(connections,
				new RedisBackendSettings("distlock:", Duration.ofSeconds(1), true, 17), TimeSource.SYSTEM)
			.open(new StoreContext(LockInstance.of("jvm"), new Recorder()));
		await("its inbox is checked").until(() -> calls("publish") > 0);
	}

	@AfterAll
	static void stop() {
		store.close();
		connections.destroy();
		server.close();
	}

	@Test
	void oneReleaseLetsInMoreReadersThanOneScriptDoes() {
		Ticket writer = ticket("many", LockMode.WRITE);
		grant(writer);
		List<Ticket> readers = IntStream.range(0, 130).mapToObj((i) -> ticket("many", LockMode.READ)).toList();
		readers.forEach((reader) -> Answers.of(store.attempt(reader, LEASE, AttemptOptions.queue(true))));
		assertThat(Answers.of(store.release(writer, 0, null)).released()).isTrue();
		await().untilAsserted(() -> assertThat(granted).containsKeys(readers.toArray(new Ticket[0])));
		readers.forEach((reader) -> Answers.of(store.release(reader, 0, null)));
	}

	private static long calls(String command) {
		try (RedisConnection connection = connections.getConnection()) {
			return RedisTestServer.calls(connection, command);
		}
	}

	private static Ticket ticket(String key, LockMode mode) {
		return new Ticket(key, mode, "jvm", numbers.incrementAndGet(), mode == LockMode.READ);
	}

	private static Grant grant(Ticket ticket) {
		return grant(Answers.of(store.attempt(ticket, LEASE, AttemptOptions.queue(true))));
	}

	private static Grant grant(AttemptResult result) {
		assertThat(result).isInstanceOf(AttemptResult.Granted.class);
		return ((AttemptResult.Granted) result).grant();
	}

	@Test
	void readingCostsTwoScriptsAndNoMessage() {
		// The first release of a connection sends its text.
		Ticket warm = ticket("warm", LockMode.READ);
		Answers.of(store.release(warm, grant(warm).lastToken(), null));
		long scripts = calls("evalsha");
		long messages = calls("publish");
		for (int i = 0; i < 10; i++) {
			Ticket reader = ticket("read", LockMode.READ);
			Grant grant = grant(reader);
			assertThat(grant.lastToken()).isEqualTo(grant.firstToken());
			assertThat(Answers.of(store.release(reader, grant.lastToken(), null)).released()).isTrue();
		}
		assertThat(calls("evalsha") - scripts).isEqualTo(20);
		assertThat(calls("publish") - messages).isZero();
	}

	@Test
	void readersThatWaitedForAWriterGetOneMessageEach() {
		Ticket writer = ticket("k", LockMode.WRITE);
		Grant written = grant(writer);
		List<Ticket> readers = List.of(ticket("k", LockMode.READ), ticket("k", LockMode.READ),
				ticket("k", LockMode.READ));
		readers.forEach((reader) -> assertThat(Answers.of(store.attempt(reader, LEASE, AttemptOptions.queue(true))))
			.isInstanceOf(AttemptResult.Queued.class));
		long scripts = calls("evalsha");
		long messages = calls("publish");
		Answers.of(store.release(writer, written.lastToken(), null));
		await().until(() -> granted.keySet().containsAll(readers));
		assertThat(calls("evalsha") - scripts).isOne();
		assertThat(calls("publish") - messages).isEqualTo(3);
		for (Ticket reader : readers) {
			Grant grant = granted.get(reader);
			assertThat(grant.firstToken()).isGreaterThan(written.firstToken()).isEqualTo(grant.lastToken());
			assertThat(grant.validity().remainingNanos(TimeSource.SYSTEM)).isPositive();
			assertThat(Answers.of(store.release(reader, grant.lastToken(), null)).released()).isTrue();
		}
		assertThat(granted.get(readers.get(2)).firstToken()).isGreaterThan(granted.get(readers.get(0)).firstToken());
	}

	@Test
	void readersAndOwnersAreRenewedInOneBatch() {
		Ticket first = ticket("r", LockMode.READ);
		Ticket second = ticket("r", LockMode.READ);
		Ticket owner = ticket("x", LockMode.EXCLUSIVE);
		Ticket gone = ticket("r", LockMode.READ);
		List<RenewalResult> results = Answers
			.of(store.renew(List.of(new Renewal(first, grant(first).lastToken(), LEASE, false),
					new Renewal(owner, grant(owner).lastToken(), LEASE, false), new Renewal(gone, 1, LEASE, false),
					new Renewal(second, grant(second).lastToken(), LEASE, false))));
		assertThat(results.get(0)).isInstanceOf(RenewalResult.Extended.class);
		assertThat(results.get(1)).isInstanceOf(RenewalResult.Extended.class);
		assertThat(results.get(2)).isInstanceOf(RenewalResult.Gone.class);
		assertThat(results.get(3)).isInstanceOf(RenewalResult.Extended.class);
	}

	/** Records the grants that this JVM receives. */
	private static final class Recorder extends NoSignals {

		@Override
		public void granted(Ticket ticket, Grant grant) {
			granted.put(ticket, grant);
		}

	}

}
