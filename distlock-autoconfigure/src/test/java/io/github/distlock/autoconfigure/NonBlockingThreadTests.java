package io.github.distlock.autoconfigure;

import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;

import io.github.distlock.DistributedLock;
import io.github.distlock.HeldLock;
import io.github.distlock.LockContext;
import io.github.distlock.LockDefinitionException;
import io.github.distlock.LockRegistry;
import io.github.distlock.LockRequest;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

import org.springframework.boot.test.context.runner.ApplicationContextRunner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * A thread that Reactor marks as non-blocking must not wait for a lock, and does not even
 * if the lock is free.
 */
class NonBlockingThreadTests {

	private final ApplicationContextRunner application = Contexts.withoutRedis()
		.withPropertyValues("distlock.backend=local")
		.withBean(Stock.class);

	private static <T> T onEventLoop(Callable<T> call) {
		return Objects.requireNonNull(Mono.fromCallable(call).subscribeOn(Schedulers.parallel()).block());
	}

	private static void assertRefused(Callable<?> call) {
		assertThatExceptionOfType(LockDefinitionException.class).isThrownBy(() -> onEventLoop(call))
			.withMessageContaining("Lock 'key'")
			.withMessageContaining("on thread 'parallel-")
			.withMessageContaining("return Mono, Flux or CompletableFuture")
			.withMessageContaining("subscribeOn(Schedulers.boundedElastic())");
	}

	@Test
	void eachAcquisitionThatBlocksIsRefusedAlthoughTheLockIsFree() {
		this.application.run((context) -> {
			LockRegistry registry = context.getBean(LockRegistry.class);
			LockRequest request = LockRequest.of("key");
			assertRefused(() -> registry.acquire(request));
			assertRefused(() -> registry.tryAcquire(request));
			assertRefused(() -> registry.execute(request, () -> "done"));
			assertRefused(() -> registry.obtain("key").tryLock());
			assertRefused(() -> registry.obtain("key").tryLock(1, TimeUnit.SECONDS));
			assertRefused(() -> {
				registry.obtain("key").lock();
				return "locked";
			});
			assertRefused(() -> {
				registry.obtain("key").lockInterruptibly();
				return "locked";
			});
		});
	}

	@Test
	void aLockedMethodWithAPlainResultIsRefusedAndItsFallbackIsNotCalled() {
		this.application.run((context) -> {
			Stock stock = context.getBean(Stock.class);
			assertRefused(() -> stock.deduct("key"));
			assertThat(onEventLoop(() -> stock.deductLater("key").toFuture()).get()).isEqualTo("deducted");
		});
	}

	@Test
	void aReentryAndAWaitWithoutAThreadAreNoSuchCalls() {
		this.application.run((context) -> {
			LockRegistry registry = context.getBean(LockRegistry.class);
			HeldLock lock = onEventLoop(() -> registry.acquireAsync(LockRequest.of("key"))).get();
			assertThat(onEventLoop(() -> {
				try (LockContext.Scope scope = LockContext.open(lock)) {
					return registry.acquire(LockRequest.of("key"));
				}
			}).isHeld()).isTrue();
		});
	}

	static class Stock {

		@DistributedLock(key = "#sku", fallback = "skip")
		public String deduct(String sku) {
			return "deducted";
		}

		@SuppressWarnings("unused")
		String skip(String sku, Exception problem) {
			return "skipped";
		}

		@DistributedLock(key = "#sku")
		public Mono<String> deductLater(String sku) {
			return Mono.fromSupplier(() -> "deducted");
		}

	}

}
