package io.github.distlock.backend.redis;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

import io.github.distlock.backend.LockStore;
import io.github.distlock.testing.ManualClock;
import io.github.distlock.testing.TcpProxy;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * The inbox with Jedis takes a connection of the application's pool. However its
 * subscription ends, the other connections of the pool stay usable. Spring Data 4.1 has a
 * client that all connections share; without it, each connection is of its own.
 */
@ExtendWith(OutputCaptureExtension.class)
class JedisInboxTests extends OnRedis {

	@AutoClose
	private final TcpProxy proxy = new TcpProxy(server.port());

	@AutoClose("destroy")
	private final JedisConnectionFactory jedis = new JedisConnectionFactory(
			new RedisStandaloneConfiguration("127.0.0.1", this.proxy.port()));

	private final ManualClock clock = new ManualClock();

	private final KeepableAttempts attempts = new KeepableAttempts();

	/** How often requests may have been lost. */
	private final AtomicInteger losses = new AtomicInteger();

	private LockStore open(boolean shared) {
		this.jedis.setUseUnifiedJedis(shared);
		this.jedis.afterPropertiesSet();
		this.jedis.start();
		LockStore store = open(backend(this.jedis, Duration.ofSeconds(2), this.clock), "a");
		await().until(() -> this.attempts.isMarked(store));
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
				this.attempts.isMarked(store);
				return output.getOut().contains("is subscribed again on a new connection. Until then no lock");
			});
			await().until(() -> this.losses.get() > before);
			await().ignoreExceptions().until(() -> {
				this.clock.pass(Duration.ofSeconds(2));
				return this.attempts.isMarked(store);
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
				await().ignoreExceptions().until(() -> this.attempts.isMarked(store));
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

}
