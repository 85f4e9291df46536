package io.github.distlock.autoconfigure;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Consumer;

import io.github.distlock.LockBackendException;
import io.github.distlock.LockRegistry;
import io.github.distlock.LockRequest;
import io.github.distlock.testing.RedisTestServer;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ConfigurableApplicationContext;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

/**
 * Applications whose store cannot be reached, or refuses their commands, do not wait for
 * it when they stop, since no lock is held, and lock as soon as it is available.
 */
class WithoutStoreTests {

	/**
	 * Far below the grace period, and below the 15 s after which a ticket that could not
	 * be cancelled is discarded.
	 */
	private static final Duration BOUND = Duration.ofSeconds(10);

	private final int port = RedisTestServer.freePort();

	private final ApplicationContextRunner application = Contexts.withRedis()
		.withPropertyValues("spring.data.redis.host=127.0.0.1", "spring.data.redis.port=" + this.port,
				"distlock.backend-timeout=1s");

	private ApplicationContextRunner grace(String... properties) {
		return Contexts.withRedis()
			.withConfiguration(AutoConfigurations.of(DataSourceAutoConfiguration.class))
			.withPropertyValues("spring.data.redis.host=127.0.0.1", "spring.data.redis.port=" + this.port,
					"distlock.shutdown-grace-period=60s", "distlock.backend-timeout=3s")
			.withPropertyValues(properties);
	}

	private static void checkThatItStopsAfterAFailedCall(ApplicationContextRunner application) {
		checkAfterAFailedCall(application, ConfigurableApplicationContext::close);
	}

	private static void checkAfterAFailedCall(ApplicationContextRunner application,
			Consumer<ConfigurableApplicationContext> stop) {
		application.run((context) -> {
			LockRegistry registry = context.getBean(LockRegistry.class);
			assertThatExceptionOfType(LockBackendException.class)
				.isThrownBy(() -> registry.acquire(LockRequest.of("order-1").waitTime(Duration.ofSeconds(1))));
			assertThat(CompletableFuture.runAsync(() -> stop.accept(context.getSourceApplicationContext())))
				.succeedsWithin(BOUND);
		});
	}

	@ParameterizedTest(name = "{0}")
	@CsvSource({ "the connection is refused, distlock.backend=redis",
			"the host is unknown, spring.data.redis.host=no-such-host.invalid",
			"ZooKeeper is away, distlock.backend=zookeeper distlock.zookeeper.connect-string=127.0.0.1:1",
			"the table of the database is missing, distlock.backend=jdbc distlock.jdbc.initialize-schema=never"
					+ " spring.datasource.url=jdbc:h2:mem:without-table" })
	void whileItsStoreIsAway(String reason, String properties) {
		checkThatItStopsAfterAFailedCall(grace(properties.split(" ")));
	}

	@Test
	void whileTheConnectionIsRefusedAndTheContextIsPaused() {
		checkAfterAFailedCall(grace(), ConfigurableApplicationContext::pause);
	}

	@Test
	void whileThePasswordIsWrong() {
		try (RedisTestServer server = RedisTestServer.start()) {
			checkThatItStopsAfterAFailedCall(
					grace("spring.data.redis.port=" + server.port(), "spring.data.redis.username=default",
							"spring.data.redis.password=wrong", "spring.data.redis.client-type=lettuce")
						.withInitializer((context) -> server.process().ask("CONFIG", "SET", "requirepass", "right")));
		}
	}

	@Test
	void whileTheServerAnswersThatThisIsNotPermitted() {
		try (RedisTestServer server = RedisTestServer.start()) {
			server.process().ask("ACL", "SETUSER", "limited", "on", ">pw", "~other:*", "&*", "+@all");
			checkThatItStopsAfterAFailedCall(grace("spring.data.redis.port=" + server.port(),
					"spring.data.redis.username=limited", "spring.data.redis.password=pw"));
		}
	}

	@Test
	void theStackTraceOfAFailedCallSaysEverythingOnce() {
		this.application.run((context) -> {
			assertThat(context).hasNotFailed();
			LockRegistry registry = context.getBean(LockRegistry.class);
			LockBackendException blocking = catchThrowableOfType(LockBackendException.class,
					() -> registry.acquire(LockRequest.of("order-1")));
			CompletionException asynchronous = catchThrowableOfType(CompletionException.class,
					() -> registry.acquireAsync(LockRequest.of("order-2")).join());
			for (Throwable failure : new Throwable[] { blocking, asynchronous.getCause() }) {
				StringWriter trace = new StringWriter();
				failure.printStackTrace(new PrintWriter(trace));
				assertThat(trace.toString()).containsOnlyOnce(failure.getMessage())
					.contains("Caused by: ", "Connection refused");
			}
		});
	}

	@Test
	void itLocksAsSoonAsRedisIsAvailable() {
		this.application.run((context) -> {
			LockRegistry registry = context.getBean(LockRegistry.class);
			try (RedisTestServer redis = RedisTestServer.start(this.port)) {
				Awaitility.await()
					.atMost(Duration.ofSeconds(20))
					.ignoreException(LockBackendException.class)
					.untilAsserted(() -> registry.acquire(LockRequest.of("order-1")).close());
				assertThat(redis.port()).isEqualTo(this.port);
			}
		});
	}

}
