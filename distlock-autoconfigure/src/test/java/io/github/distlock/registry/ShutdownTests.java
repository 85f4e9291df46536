package io.github.distlock.registry;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

import io.github.distlock.HeldLock;
import io.github.distlock.LockBackendException;
import io.github.distlock.LockRequest;
import io.github.distlock.testing.RedisNodes;
import io.github.distlock.testing.TcpProxy;
import io.github.distlock.testing.TestSettings;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * What the shutdown of a registry waits for.
 */
class ShutdownTests extends TwoRegistries {

	private static RegistrySettings patient() {
		RegistrySettings settings = RedisNodes.settings(Duration.ofSeconds(30));
		return TestSettings.of(settings.waitTime(), settings.leaseTime(), null, settings.handOff(),
				settings.backendTimeout(), false, Duration.ofSeconds(60));
	}

	@Test
	void itWaitsForAHeldLockAndFailsWaiters() throws Exception {
		BackendLockRegistry registry = redis.node(patient(), List.of(this.events));
		CountDownLatch locked = new CountDownLatch(1);
		CountDownLatch release = new CountDownLatch(1);
		Future<?> holder = this.threads.submit(() -> {
			try (HeldLock lock = registry.acquire(request("held"))) {
				locked.countDown();
				assertThat(release.await(20, TimeUnit.SECONDS)).isTrue();
				assertThat(lock.isHeld()).isTrue();
			}
			return null;
		});
		assertThat(locked.await(10, TimeUnit.SECONDS)).isTrue();
		Future<?> waiter = this.threads.submit(() -> registry.acquire(request("held")));
		await().until(() -> this.events.waiting.get() == 1);
		Future<?> shutdown = this.threads.submit(registry::shutdown);
		assertThatExceptionOfType(ExecutionException.class).isThrownBy(() -> waiter.get(10, TimeUnit.SECONDS))
			.withCauseInstanceOf(LockBackendException.class)
			.withMessageContaining("shutting down");
		// Longer than one command time-out.
		await().during(Duration.ofMillis(2500)).atMost(Duration.ofSeconds(10)).until(() -> !shutdown.isDone());
		release.countDown();
		holder.get(10, TimeUnit.SECONDS);
		shutdown.get(20, TimeUnit.SECONDS);
		assertThatExceptionOfType(LockBackendException.class).isThrownBy(() -> registry.acquire(request("held")));
		assertThat(this.two.tryAcquire(LockRequest.of("held").waitTime(Duration.ZERO)))
			.hasValueSatisfying(HeldLock::close);
		registry.start();
		registry.acquire(request("held")).close();
	}

	@Test
	void itDoesNotWaitForASilentServer() throws Exception {
		try (TcpProxy proxy = new TcpProxy(redis.server().port())) {
			BackendLockRegistry registry = redis.nodeBehind(proxy.port(), patient(), List.of(this.events));
			registry.acquire(request("heard")).close();
			proxy.holdBack(true);
			CompletableFuture<HeldLock> waiter = registry.acquireAsync(request("silent"));
			Future<?> shutdown = this.threads.submit(registry::shutdown);
			shutdown.get(30, TimeUnit.SECONDS);
			assertThat(waiter).failsWithin(Duration.ofSeconds(10));
			proxy.holdBack(false);
		}
	}

}
