package io.github.distlock.autoconfigure;

import java.time.Duration;

import io.github.distlock.LockBackendException;
import io.github.distlock.LockRegistry;
import io.github.distlock.LockRequest;
import io.github.distlock.registry.BackendLockRegistry;
import io.github.distlock.registry.CompositeLockRegistry;
import io.github.distlock.testing.RedisTestServer;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

import org.springframework.aot.test.generate.TestGenerationContext;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.test.util.TestPropertyValues;
import org.springframework.context.ApplicationContextInitializer;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.aot.ApplicationContextAotGenerator;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.core.test.tools.CompileWithForkedClassLoader;
import org.springframework.core.test.tools.TestCompiler;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * An application with ahead-of-time processing, which selects its beans at build time.
 */
class AheadOfTimeTests {

	@Test
	@CompileWithForkedClassLoader
	@SuppressWarnings("unchecked")
	void theSelectedBackendsAreKeptAndEachOfThemLocks() {
		try (RedisTestServer redis = RedisTestServer.start();
				RedisTestServer first = RedisTestServer.start();
				RedisTestServer second = RedisTestServer.start();
				RedisTestServer third = RedisTestServer.start();
				AnnotationConfigApplicationContext build = new AnnotationConfigApplicationContext()) {
			properties(build, redis.port(), first.port(), second.port(), third.port());
			build.register(Application.class);
			TestGenerationContext generation = new TestGenerationContext();
			var initializer = new ApplicationContextAotGenerator().processAheadOfTime(build, generation);
			generation.writeGeneratedContent();
			TestCompiler.forSystem().with(generation).compile((compiled) -> {
				try (GenericApplicationContext context = new GenericApplicationContext()) {
					properties(context, redis.port(), first.port(), second.port(), third.port());
					compiled.getInstance(ApplicationContextInitializer.class, initializer.reflectionName())
						.initialize(context);
					context.refresh();
					verify(context);
				}
			});
		}
	}

	private static void verify(GenericApplicationContext context) {
		Injected injected = context.getBean(Injected.class);
		assertThat(injected.plain()).isInstanceOf(BackendLockRegistry.class)
			.isSameAs(injected.redis())
			.isSameAs(context.getBean("distlockRedisLockRegistry"));
		assertThat(injected.composite()).isInstanceOf(CompositeLockRegistry.class);
		injected.composite().acquire(LockRequest.of("order-1")).close();
		LockRegistry redlock = context.getBean("distlockRedlockLockRegistry", LockRegistry.class);
		// The servers must first have been running for the longest lease.
		Awaitility.await()
			.atMost(Duration.ofMinutes(1))
			.ignoreExceptionsInstanceOf(LockBackendException.class)
			.untilAsserted(() -> redlock.acquire(LockRequest.of("order-1")).close());
	}

	private static void properties(GenericApplicationContext context, int port, int... nodes) {
		TestPropertyValues values = TestPropertyValues.of("spring.data.redis.host=127.0.0.1",
				"spring.data.redis.port=" + port, "distlock.local.enabled=true", "distlock.composite=redis,local",
				"distlock.redlock.enabled=true", "distlock.lease-time=4s", "distlock.redlock.longest-lease=5s",
				"distlock.redlock.node-timeout=1s");
		for (int i = 0; i < nodes.length; i++) {
			values = values.and("distlock.redlock.nodes[" + i + "].host=127.0.0.1",
					"distlock.redlock.nodes[" + i + "].port=" + nodes[i]);
		}
		values.applyTo(context);
	}

	@Configuration(proxyBeanMethods = false)
	@ImportAutoConfiguration({ DataRedisAutoConfiguration.class, DistlockRedisAutoConfiguration.class,
			DistlockRedlockAutoConfiguration.class, DistlockLocalAutoConfiguration.class,
			DistlockAutoConfiguration.class })
	static class Application {

		@Bean
		Injected injected(LockRegistry plain, @Qualifier("redis") LockRegistry redis,
				@Qualifier("composite") LockRegistry composite) {
			return new Injected(plain, redis, composite);
		}

	}

	record Injected(LockRegistry plain, LockRegistry redis, LockRegistry composite) {
	}

}
