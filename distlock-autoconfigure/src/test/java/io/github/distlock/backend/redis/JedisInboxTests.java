package io.github.distlock.backend.redis;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

import io.github.distlock.LockMode;
import io.github.distlock.backend.LockStore;
import io.github.distlock.backend.Ticket;
import io.github.distlock.contract.Answers;
import io.github.distlock.testing.ManualClock;
import io.github.distlock.testing.RedisTestServer;
import io.github.distlock.testing.TcpProxy;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;

import static io.github.distlock.testing.FlushedLog.flushed;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * With Jedis the inbox takes a connection of the application's pool. However its
 * subscription ends, the other connections of the pool stay usable. Spring Data 4.1 has a
 * client that all connections share; without it, each connection is of its own.
 */
@ExtendWith(OutputCaptureExtension.class)
class JedisInboxTests extends OnRedis {

	private static final List<String> KEYS = new RedisKeys("distlock:").lockQueueAndReaders("k");

	@AutoClose
	private final TcpProxy proxy = new TcpProxy(server.port());

	@AutoClose("destroy")
	private final JedisConnectionFactory jedis = jedis(this.proxy.port());

	private final ManualClock clock = new ManualClock();

	private final QueueKey queue = new QueueKey(template, KEYS.get(1));

	private final AtomicInteger subscriptions = new AtomicInteger();

	/** Those after which an inbox had received nothing. */
	private final AtomicInteger resubscriptions = new AtomicInteger();

	private int numbers;

	private LockStore open(boolean shared, Duration timeout) {
		this.jedis.setUseUnifiedJedis(shared);
		LockStore store = open(backend(RedisTestServer.started(this.jedis), timeout, this.clock), "a");
		await().until(() -> isCounted(store));
		return store;
	}

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void anInboxThatReceivesNothingIsSubscribedOnANewConnection(boolean shared, CapturedOutput output) {
		try (LockStore store = open(shared, Duration.ofSeconds(2))) {
			this.proxy.muteSubscriptions();
			this.clock.pass(Duration.ofSeconds(11));
			await().until(() -> {
				isCounted(store);
				return flushed(output).getOut().contains("is subscribed again on a new connection");
			});
			await().until(() -> this.resubscriptions.get() > 0);
			await().ignoreExceptions().until(() -> {
				this.clock.pass(Duration.ofSeconds(2));
				return isCounted(store);
			});
			assertPoolIsUsable();
			assertThat(flushed(output)).doesNotContain("Cannot subscribe");
		}
	}

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void anInboxWhoseConnectionBreaksLeavesNoOtherConnectionOpen(boolean shared) {
		try (LockStore store = open(shared, TIMEOUT)) {
			for (int i = 0; i < 3; i++) {
				int before = this.subscriptions.get();
				server.process().ask("CLIENT", "KILL", "TYPE", "pubsub");
				await().until(() -> this.subscriptions.get() > before && clients("sub=1").size() == 1);
				await().ignoreExceptions().until(() -> isCounted(store));
			}
			assertPoolIsUsable();
			assertThat(clients("cmd=unsubscribe")).isEmpty();
		}
	}

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void anInboxThatIsClosedLeavesNoSubscription(boolean shared) {
		open(shared, TIMEOUT).close();
		await().until(() -> clients("sub=1").isEmpty());
		assertPoolIsUsable();
	}

	/**
	 * Whether a ticket that waits is queued as one that a message reaches. That is the
	 * case only if the inbox is verified.
	 */
	private boolean isCounted(LockStore store) {
		template.opsForValue().set(KEYS.get(0), "-other:1|1|1790000000000000");
		Ticket ticket = new Ticket("k", LockMode.EXCLUSIVE, "a", ++this.numbers, false);
		Answers.of(store.attempt(ticket, Duration.ofSeconds(30), true));
		boolean counted = this.queue.tokens().contains(ticket.token())
				&& this.queue.entry(ticket.token()).endsWith("|T");
		Answers.of(store.cancel(ticket));
		return counted;
	}

	@Override
	public void retryAll() {
		this.subscriptions.incrementAndGet();
	}

	@Override
	public void resubscribed(String inbox, String server) {
		this.resubscriptions.incrementAndGet();
	}

	/** An unread reply on a connection would be the answer to the next command. */
	private void assertPoolIsUsable() {
		List<RedisConnection> all = Stream.generate(this.jedis::getConnection).limit(4).toList();
		for (int round = 0; round < 4; round++) {
			all.forEach((connection) -> assertThat(connection.ping()).isEqualTo("PONG"));
		}
		all.forEach(RedisConnection::close);
	}

	private List<String> clients(String part) {
		return String.valueOf(server.process().ask("CLIENT", "LIST"))
			.lines()
			.filter((line) -> line.contains(" " + part + " "))
			.toList();
	}

}
