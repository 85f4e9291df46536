package io.github.distlock.backend.redis;

import java.util.concurrent.atomic.AtomicInteger;

import io.github.distlock.backend.LockStore;
import org.junit.jupiter.api.Test;

import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * A lock may be kept only by a JVM whose inbox receives the requests for it.
 */
class KeptLockInboxTests extends OnRedis {

	/** How often requests may have been lost. */
	private final AtomicInteger losses = new AtomicInteger();

	private final KeepableAttempts attempts = new KeepableAttempts();

	@Test
	void anInboxThatIsInterruptedIsSignalledWithLettuce() {
		try (LockStore store = open(backend(connections), "a")) {
			awaitMarked(store);
			assertLossAfterEndOf("pubsub");
			awaitMarked(store);
			assertLossAfterEndOf("normal");
			awaitMarked(store);
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

	private void awaitMarked(LockStore store) {
		await().ignoreExceptions().until(() -> this.attempts.isMarked(store));
	}

	private void assertLossAfterEndOf(String connections) {
		int before = this.losses.get();
		server.process().ask("CLIENT", "KILL", "TYPE", connections);
		await().until(() -> this.losses.get() > before);
	}

	@Override
	public void requestsMayBeLost() {
		this.losses.incrementAndGet();
	}

}
