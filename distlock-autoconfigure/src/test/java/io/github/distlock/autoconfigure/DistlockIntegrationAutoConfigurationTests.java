package io.github.distlock.autoconfigure;

import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

import io.github.distlock.integration.IntegrationLockRegistry;
import org.junit.jupiter.api.Test;

import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.integration.support.locks.DefaultLockRegistry;
import org.springframework.integration.support.locks.LockRegistry;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The bean for Spring Integration.
 */
class DistlockIntegrationAutoConfigurationTests {

	private final ApplicationContextRunner application = Contexts.withRedis()
		.withPropertyValues("distlock.backend=local");

	@Test
	void thereIsALockRegistryOverThePrimaryRegistry() {
		this.application.withPropertyValues("distlock.redis.enabled=true").run((context) -> {
			assertThat(context).getBean(LockRegistry.class).isInstanceOf(IntegrationLockRegistry.class);
			var lock = context.getBean(LockRegistry.class).obtain("key");
			assertThat(lock.tryLock()).isTrue();
			lock.unlock();
		});
	}

	@Test
	void switchedOffItStillExcludesTheThreadsOfThisJvm() {
		this.application.withPropertyValues("distlock.enabled=false").run((context) -> {
			var locks = context.getBean(IntegrationLockRegistry.class);
			Supplier<Boolean> another = () -> locks.obtain("key").tryLock();
			locks.obtain("key").lock();
			assertThat(CompletableFuture.supplyAsync(another).get()).isFalse();
			locks.obtain("key").unlock();
			assertThat(CompletableFuture.supplyAsync(another).get()).isTrue();
		});
	}

	@Test
	void theOneOfTheApplicationWins() {
		this.application.withBean(DefaultLockRegistry.class)
			.run((context) -> assertThat(context).getBean(LockRegistry.class).isInstanceOf(DefaultLockRegistry.class));
	}

	@Test
	void withoutSpringIntegrationThereIsNone() {
		this.application.withClassLoader(new FilteredClassLoader(LockRegistry.class))
			.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean("distlockIntegrationLockRegistry"));
	}

}
