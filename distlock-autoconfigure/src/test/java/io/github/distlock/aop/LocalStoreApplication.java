package io.github.distlock.aop;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;

import io.github.distlock.DistributedLock;
import io.github.distlock.HeldLock;
import io.github.distlock.LockRegistry;
import io.github.distlock.LockRequest;
import io.github.distlock.backend.TimeSource;
import io.github.distlock.backend.local.LocalLockBackend;
import io.github.distlock.backend.local.LocalStore;
import io.github.distlock.registry.BackendLockRegistry;
import io.github.distlock.testing.TestSettings;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Primary;
import org.springframework.core.task.SimpleAsyncTaskExecutor;

/**
 * Gives a {@link LockedApplication} real locks in its own memory.
 */
@Configuration(proxyBeanMethods = false)
class LocalStoreApplication {

	@Bean(initMethod = "start", destroyMethod = "shutdown")
	@Primary
	BackendLockRegistry localLocks() {
		return new BackendLockRegistry(new LocalLockBackend(new LocalStore(TimeSource.SYSTEM), 1, TimeSource.SYSTEM),
				TestSettings.of(Duration.ofSeconds(10), Duration.ofSeconds(30), null, TestSettings.NO_HAND_OFF,
						Duration.ofSeconds(10), false, Duration.ZERO),
				List.of(), TimeSource.SYSTEM);
	}

	/** Whether a lock is free. */
	static boolean isFree(LockRegistry registry, String key) {
		Optional<HeldLock> lock = registry.tryAcquire(LockRequest.of(key).waitTime(Duration.ZERO));
		lock.ifPresent(HeldLock::close);
		return lock.isPresent();
	}

	@Bean
	SimpleAsyncTaskExecutor applicationTaskExecutor() {
		return new SimpleAsyncTaskExecutor("work-");
	}

	/** Locked methods, whose bodies their callers write. */
	@SuppressWarnings("NullAway")
	static class Calls {

		@DistributedLock("#key")
		<T> CompletableFuture<T> stage(String key, Callable<? extends @Nullable CompletableFuture<T>> body)
				throws Exception {
			return body.call();
		}

		@DistributedLock("#key")
		<T> Mono<T> mono(String key, Callable<? extends @Nullable Mono<T>> body) throws Exception {
			return body.call();
		}

		@DistributedLock("#key")
		<T> Flux<T> flux(String key, Callable<? extends @Nullable Flux<T>> body) throws Exception {
			return body.call();
		}

	}

}
