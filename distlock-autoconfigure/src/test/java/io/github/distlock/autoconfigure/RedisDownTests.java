package io.github.distlock.autoconfigure;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.Duration;
import java.util.concurrent.CompletionException;

import io.github.distlock.LockBackendException;
import io.github.distlock.LockRegistry;
import io.github.distlock.LockRequest;
import io.github.distlock.testing.RedisTestServer;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

import org.springframework.boot.test.context.runner.ApplicationContextRunner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

/**
 * An application that starts before its Redis.
 */
class RedisDownTests {

	private final int port = RedisTestServer.freePort();

	private final ApplicationContextRunner application = Contexts.withRedis()
		.withPropertyValues("spring.data.redis.host=127.0.0.1", "spring.data.redis.port=" + this.port,
				"distlock.backend-timeout=1s");

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

	@Test
	void withFailFastItStartsIfRedisIsAvailable() {
		try (RedisTestServer redis = RedisTestServer.start(this.port)) {
			this.application.withPropertyValues("distlock.fail-fast=true").run((context) -> {
				assertThat(context).hasNotFailed();
				context.getBean(LockRegistry.class).acquire(LockRequest.of("order-1")).close();
			});
			assertThat(redis.port()).isEqualTo(this.port);
		}
	}

}
