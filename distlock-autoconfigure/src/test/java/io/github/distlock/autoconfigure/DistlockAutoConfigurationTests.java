package io.github.distlock.autoconfigure;

import java.time.Duration;

import io.github.distlock.HeldLock;
import io.github.distlock.LockContext;
import io.github.distlock.LockRegistry;
import io.github.distlock.LockRequest;
import io.github.distlock.backend.LockBackend;
import io.github.distlock.registry.BackendLockRegistry;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Which beans are defined, and when they back off.
 */
@ExtendWith(OutputCaptureExtension.class)
class DistlockAutoConfigurationTests {

	@Test
	void everyAutoConfigurationIsFinal() {
		assertThat(Contexts.autoConfigurations()).hasSizeGreaterThan(10)
			.allSatisfy((type) -> assertThat(type).hasAnnotation(AutoConfiguration.class).isFinal());
	}

	@Test
	void aLockBackendOfTheApplicationWorksWithoutSpringDataRedis() {
		Contexts.withoutRedis()
			.withClassLoader(new FilteredClassLoader("org.springframework.data.redis", "io.lettuce"))
			.withBean(LockBackend.class, StoreChoiceTests::ownBackend)
			.run((context) -> assertThat(context).getBean(LockRegistry.class).isInstanceOf(BackendLockRegistry.class));
	}

	@Test
	void ofSeveralConnectionFactoriesThePrimaryOneIsUsed() {
		Contexts.withRedis()
			.withUserConfiguration(TwoFactories.class)
			.withBean("third", RedisConnectionFactory.class, () -> factory(3), (bean) -> bean.setPrimary(true))
			.run((context) -> assertThat(context.getBean(BackendLockRegistry.class).store().location())
				.startsWith("Redis at third.example:3"));
	}

	@Test
	void ofSeveralConnectionFactoriesOneCanBeNamed() {
		Contexts.withRedis()
			.withUserConfiguration(TwoFactories.class)
			.withPropertyValues("distlock.redis.connection-factory=second")
			.run((context) -> assertThat(context.getBean(BackendLockRegistry.class).store().location())
				.startsWith("Redis at second.example:2"));
	}

	@Test
	void switchedOffTheRegistryGrantsEverythingAndWarnsOnce(CapturedOutput output) {
		Contexts.withoutRedis().withPropertyValues("distlock.enabled=false").run((context) -> {
			LockRegistry registry = context.getBean(LockRegistry.class);
			HeldLock first = registry.acquire(LockRequest.of("order-1"));
			HeldLock second = registry.tryAcquire(LockRequest.of("order-1")).orElseThrow();
			HeldLock third = registry.acquireAsync(LockRequest.of("order-1")).join();
			assertThat(first.isHeld()).isTrue();
			assertThat(first.remaining()).isGreaterThan(Duration.ofDays(1));
			assertThat(second.fencingToken()).isGreaterThan(first.fencingToken());
			assertThat(third.fencingToken()).isGreaterThan(second.fencingToken());
			assertThat(registry.obtain("order-1").tryLock()).isTrue();
			assertThat(registry.execute(LockRequest.of("order-1"),
					() -> LockContext.current().map(HeldLock::key).orElse("none")))
				.isEqualTo("order-1");
			assertThat(LockContext.current()).isEmpty();
			assertThat(output).containsOnlyOnce("each LockRegistry grants every lock at once");
		});
	}

	private static LettuceConnectionFactory factory(int number) {
		String[] names = { "first", "second", "third" };
		return new LettuceConnectionFactory(names[number - 1] + ".example", number);
	}

	@Configuration(proxyBeanMethods = false)
	static class TwoFactories {

		@Bean
		RedisConnectionFactory first() {
			return factory(1);
		}

		@Bean
		RedisConnectionFactory second() {
			return factory(2);
		}

	}

}
