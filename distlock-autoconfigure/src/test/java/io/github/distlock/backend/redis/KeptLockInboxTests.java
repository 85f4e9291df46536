package io.github.distlock.backend.redis;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

import io.github.distlock.LockMode;
import io.github.distlock.backend.AttemptOptions;
import io.github.distlock.backend.AttemptResult.Granted;
import io.github.distlock.backend.LockStore;
import io.github.distlock.backend.Ticket;
import io.github.distlock.contract.Answers;
import io.github.distlock.testing.ManualClock;
import io.github.distlock.testing.TcpProxy;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * A lock may be kept only by a JVM whose inbox receives the requests for it. With Jedis
 * the inbox takes a connection of the application's pool. However its subscription ends,
 * the other connections of the pool stay usable. Spring Data 4.1 has a client that all
 * connections share; without it, each connection is of its own.
 */
@ExtendWith(OutputCaptureExtension.class)
class KeptLockInboxTests extends OnRedis {

	@AutoClose
	private final TcpProxy proxy = new TcpProxy(server.port());

	@AutoClose("destroy")
	private final JedisConnectionFactory jedis = new JedisConnectionFactory(
			new RedisStandaloneConfiguration("127.0.0.1", this.proxy.port()));

	private final ManualClock clock = new ManualClock();

	/** How often requests may have been lost. */
	private final AtomicInteger losses = new AtomicInteger();

	private int numbers;

	private LockStore open(boolean shared) {
		this.jedis.setUseUnifiedJedis(shared);
		this.jedis.afterPropertiesSet();
		this.jedis.start();
		LockStore store = open(backend(this.jedis, Duration.ofSeconds(2), this.clock), "a");
		await().until(() -> isMarked(store));
		return store;
	}

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void anInboxThatReceivesNothingIsSubscribedOnANewConnection(boolean shared, CapturedOutput output) {
		try (LockStore store = open(shared)) {
			this.proxy.muteSubscriptions();
			int before = this.losses.get();
			this.clock.pass(Duration.ofSeconds(11));
			await().until(() -> {
				isMarked(store);
				return output.getOut().contains("is subscribed again on a new connection. Until then no lock");
			});
			await().until(() -> this.losses.get() > before);
			await().ignoreExceptions().until(() -> {
				this.clock.pass(Duration.ofSeconds(2));
				return isMarked(store);
			});
			assertPoolIsUsable();
			assertThat(output).doesNotContain("Cannot subscribe");
		}
	}

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void anInboxWhoseConnectionBreaksLeavesNoOtherConnectionOpen(boolean shared) {
		try (LockStore store = open(shared)) {
			for (int i = 0; i < 3; i++) {
				int before = this.losses.get();
				server.process().ask("CLIENT", "KILL", "TYPE", "pubsub");
				await().until(() -> this.losses.get() > before && clients("sub=1").size() == 1);
				await().ignoreExceptions().until(() -> isMarked(store));
			}
			assertPoolIsUsable();
			assertThat(clients("cmd=unsubscribe")).isEmpty();
		}
	}

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void anInboxThatIsClosedLeavesNoSubscription(boolean shared) {
		open(shared).close();
		await().until(() -> clients("sub=1").isEmpty());
		assertPoolIsUsable();
	}

	/**
	 * Take a lock that may be kept and give it back. Answers whether the store has marked
	 * it, which it does only if the inbox is verified.
	 */
	private boolean isMarked(LockStore store) {
		Ticket ticket = new Ticket("k", LockMode.EXCLUSIVE, "a", ++this.numbers, false);
		boolean marked = Answers.of(store.attempt(ticket, Duration.ofSeconds(5),
				new AttemptOptions(false, true, false))) instanceof Granted granted && granted.keepable();
		Answers.of(store.cancel(ticket));
		return marked;
	}

	@Override
	public void requestsMayBeLost() {
		this.losses.incrementAndGet();
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

	@Test
	void anInboxThatIsInterruptedIsSignalledWithLettuce() {
		try (LockStore store = open(backend(connections), "a")) {
			await().ignoreExceptions().until(() -> isMarked(store));
			assertLossAfterEndOf("pubsub");
			await().ignoreExceptions().until(() -> isMarked(store));
			assertLossAfterEndOf("normal");
			await().ignoreExceptions().until(() -> isMarked(store));
		}
	}

	@Test
	void aClusterKeepsNoLocks() {
		RedisClusterConfiguration cluster = new RedisClusterConfiguration().clusterNode("127.0.0.1", server.port());
		assertThat(backend(new LettuceConnectionFactory(cluster)).description().keeps()).isFalse();
		assertThat(backend(new JedisConnectionFactory(cluster)).description().keeps()).isFalse();
		assertThat(backend(new LettuceConnectionFactory()).description().keeps()).isTrue();
		assertThat(backend(new JedisConnectionFactory()).description().keeps()).isTrue();
	}

	private void assertLossAfterEndOf(String connections) {
		int before = this.losses.get();
		server.process().ask("CLIENT", "KILL", "TYPE", connections);
		await().until(() -> this.losses.get() > before);
	}

}
