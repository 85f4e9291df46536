package io.github.distlock.autoconfigure;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;

import io.github.distlock.LockBackendException;
import io.github.distlock.LockRegistry;
import io.github.distlock.LockRequest;
import io.github.distlock.testing.RedisTestServer;
import org.junit.jupiter.api.Test;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Applications whose store cannot be reached, or refuses their commands, do not wait for
 * it when they stop, since no lock is held.
 */
class ShutdownWithoutStoreTests {

	/**
	 * Far below the grace period, and below the 15 s after which a ticket that could not
	 * be cancelled is discarded.
	 */
	private static final Duration BOUND = Duration.ofSeconds(10);

	private static final String[] GRACE = { "distlock.shutdown-grace-period=60s", "distlock.backend-timeout=3s" };

	private final int port = RedisTestServer.freePort();

	private static ApplicationContextRunner redis(String... properties) {
		return Contexts.withRedis().withPropertyValues(GRACE).withPropertyValues(properties);
	}

	private static void checkThatItStopsAfterAFailedCall(ApplicationContextRunner application) {
		checkAfterAFailedCall(application, ConfigurableApplicationContext::close);
	}

	private static void checkAfterAFailedCall(ApplicationContextRunner application, Stop stop) {
		application.run((context) -> {
			LockRegistry registry = context.getBean(LockRegistry.class);
			assertThatExceptionOfType(LockBackendException.class)
				.isThrownBy(() -> registry.acquire(LockRequest.of("order-1").waitTime(Duration.ofSeconds(1))));
			assertThat(CompletableFuture.runAsync(() -> stop.stop(context.getSourceApplicationContext())))
				.succeedsWithin(BOUND);
		});
	}

	@Test
	void whileTheConnectionIsRefused() {
		checkThatItStopsAfterAFailedCall(
				redis("spring.data.redis.host=127.0.0.1", "spring.data.redis.port=" + this.port));
	}

	@Test
	void whileTheConnectionIsRefusedAndTheContextIsPaused() {
		checkAfterAFailedCall(redis("spring.data.redis.host=127.0.0.1", "spring.data.redis.port=" + this.port),
				ConfigurableApplicationContext::pause);
	}

	@Test
	void whileTheHostIsUnknown() {
		checkThatItStopsAfterAFailedCall(redis("spring.data.redis.host=no-such-host.invalid"));
	}

	@Test
	void whileThePasswordIsWrong() {
		try (RedisTestServer server = RedisTestServer.start()) {
			checkThatItStopsAfterAFailedCall(redis("spring.data.redis.host=127.0.0.1",
					"spring.data.redis.port=" + server.port(), "spring.data.redis.username=default",
					"spring.data.redis.password=wrong", "spring.data.redis.client-type=lettuce")
				.withInitializer((context) -> execute(server, "CONFIG", "SET", "requirepass", "right")));
		}
	}

	@Test
	void whileTheServerAnswersThatThisIsNotPermitted() {
		try (RedisTestServer server = RedisTestServer.start()) {
			execute(server, "ACL", "SETUSER", "limited", "on", ">pw", "~other:*", "&*", "+@all");
			checkThatItStopsAfterAFailedCall(
					redis("spring.data.redis.host=127.0.0.1", "spring.data.redis.port=" + server.port(),
							"spring.data.redis.username=limited", "spring.data.redis.password=pw"));
		}
	}

	@Test
	void whileTheTableOfTheDatabaseIsMissing() {
		checkThatItStopsAfterAFailedCall(Contexts.withoutRedis()
			.withConfiguration(AutoConfigurations.of(DataSourceAutoConfiguration.class))
			.withPropertyValues(GRACE)
			.withPropertyValues("distlock.backend=jdbc", "distlock.jdbc.initialize-schema=never",
					"spring.datasource.url=jdbc:h2:mem:" + UUID.randomUUID()));
	}

	@Test
	void whileZooKeeperIsAway() {
		checkThatItStopsAfterAFailedCall(Contexts.withoutRedis()
			.withPropertyValues(GRACE)
			.withPropertyValues("distlock.backend=zookeeper",
					"distlock.zookeeper.connect-string=127.0.0.1:" + this.port));
	}

	private static void execute(RedisTestServer server, String command, String... arguments) {
		LettuceConnectionFactory connections = server.connectionFactory();
		try (RedisConnection connection = connections.getConnection()) {
			byte[][] bytes = new byte[arguments.length][];
			for (int i = 0; i < bytes.length; i++) {
				bytes[i] = arguments[i].getBytes(StandardCharsets.UTF_8);
			}
			connection.execute(command, bytes);
		}
		finally {
			connections.destroy();
		}
	}

	private interface Stop {

		void stop(ConfigurableApplicationContext context);

	}

}
