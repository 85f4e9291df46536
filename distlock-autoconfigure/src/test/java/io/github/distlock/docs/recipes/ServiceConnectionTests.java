package io.github.distlock.docs.recipes;

import java.time.Duration;
import java.util.List;

import io.github.distlock.HeldLock;
import io.github.distlock.LockRegistry;
import io.github.distlock.LockRequest;
import io.github.distlock.testing.RedisTestServer;
import org.junit.jupiter.api.Test;

import org.springframework.boot.data.redis.autoconfigure.DataRedisConnectionDetails;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Locks use the server of a service connection, as docs/testing.md says of
 * {@code @ServiceConnection}, which makes such a bean.
 */
class ServiceConnectionTests {

	@Test
	void locksAreInTheServerOfTheServiceConnection() {
		try (RedisTestServer properties = RedisTestServer.start();
				RedisTestServer container = RedisTestServer.start();
				RecipeNode node = RecipeNode.start(properties,
						(context) -> context.registerBean(DataRedisConnectionDetails.class, () -> details(container)),
						List.of());
				HeldLock held = node.bean(LockRegistry.class)
					.acquire(LockRequest.of("own").waitTime(Duration.ofSeconds(30)))) {
			assertThat(held.isHeld()).isTrue();
			assertThat(container.process().ask("KEYS", "*")).asString().contains("{own}");
			assertThat(properties.process().ask("KEYS", "*")).asString().isEqualTo("[]");
		}
	}

	private static DataRedisConnectionDetails details(RedisTestServer server) {
		return new DataRedisConnectionDetails() {

			@Override
			public Standalone getStandalone() {
				return Standalone.of("127.0.0.1", server.port());
			}

		};
	}

}
