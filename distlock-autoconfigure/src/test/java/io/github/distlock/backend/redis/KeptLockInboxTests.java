package io.github.distlock.backend.redis;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;

import io.github.distlock.LockInstance;
import io.github.distlock.backend.LockStore;
import io.github.distlock.backend.StoreContext;
import io.github.distlock.backend.TimeSource;
import io.github.distlock.testing.NoSignals;
import io.github.distlock.testing.RedisTestServer;
import io.github.distlock.testing.RespConnection;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * A lock may be kept only by a JVM whose inbox receives the requests for it.
 */
class KeptLockInboxTests extends NoSignals {

	private static RedisTestServer server;

	private static RespConnection operator;

	/** How often requests may have been lost. */
	private final AtomicInteger losses = new AtomicInteger();

	private final KeepableAttempts attempts = new KeepableAttempts();

	@BeforeAll
	static void start() {
		server = RedisTestServer.start();
		operator = new RespConnection(server.port());
	}

	@AfterAll
	static void stop() {
		operator.close();
		server.close();
	}

	@Test
	void anInboxThatIsInterruptedIsSignalledWithLettuce() {
		LettuceConnectionFactory connections = server.connectionFactory();
		try (LockStore store = backend(connections).open(new StoreContext(LockInstance.of("a"), this))) {
			awaitMarked(store);
			assertLossAfterEndOf("pubsub");
			awaitMarked(store);
			assertLossAfterEndOf("normal");
			awaitMarked(store);
		}
		finally {
			connections.destroy();
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

	private static RedisLockBackend backend(RedisConnectionFactory connections) {
		return new RedisLockBackend(connections, new RedisBackendSettings("distlock:", Duration.ofSeconds(5), true, 17),
				TimeSource.SYSTEM);
	}

	private void awaitMarked(LockStore store) {
		await().ignoreExceptions().until(() -> this.attempts.isMarked(store));
	}

	private void assertLossAfterEndOf(String connections) {
		int before = this.losses.get();
		operator.ask("CLIENT", "KILL", "TYPE", connections);
		await().until(() -> this.losses.get() > before);
	}

	@Override
	public void requestsMayBeLost() {
		this.losses.incrementAndGet();
	}

}
