package io.github.distlock.docs.recipes;

import java.time.Duration;
import java.util.List;

import io.github.distlock.HeldLock;
import io.github.distlock.LockRegistry;
import io.github.distlock.LockRequest;
import io.github.distlock.testing.RedisTestServer;
import org.junit.jupiter.api.Test;

import org.springframework.data.redis.core.StringRedisTemplate;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Runs the example of a Redis of its own for locks, as {@code docs/redis-operations.md}
 * says, with the auto-configuration of Spring Boot.
 */
class LockRedisTests {

	@Test
	void locksAreInTheirOwnRedisAndTheApplicationStaysInThatOfSpringBoot() {
		try (RedisTestServer application = RedisTestServer.start();
				RedisTestServer locks = RedisTestServer.start();
				RecipeNode node = RecipeNode.start(application, (context) -> {
				}, List.of("distlock.redis.connection-factory=lockRedis", "lock-redis.host=127.0.0.1",
						"lock-redis.port=" + locks.port()), LockRedisConfiguration.class);
				HeldLock held = node.bean(LockRegistry.class)
					.acquire(LockRequest.of("own").waitTime(Duration.ofSeconds(30)))) {
			node.bean(StringRedisTemplate.class).opsForValue().set("value", "of the application");
			assertThat(held.isHeld()).isTrue();
			assertThat(locks.process().ask("KEYS", "*")).asString().contains("{own}").doesNotContain("value");
			assertThat(application.process().ask("KEYS", "*")).asString().isEqualTo("[value]");
		}
	}

}
