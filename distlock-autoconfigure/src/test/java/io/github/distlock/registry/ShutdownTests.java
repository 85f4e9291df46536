package io.github.distlock.registry;

import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import io.github.distlock.HeldLock;
import io.github.distlock.LockBackendException;
import io.github.distlock.LockLostException;
import io.github.distlock.LockRequest;
import io.github.distlock.LossCause;
import io.github.distlock.backend.LockStore;
import io.github.distlock.backend.StoreContext;
import io.github.distlock.backend.TimeSource;
import io.github.distlock.environment.EngineEnvironment;
import io.github.distlock.environment.EngineThreads;
import io.github.distlock.observation.LockObservers;
import io.github.distlock.testing.IdleStore;
import io.github.distlock.testing.RedisNodes;
import io.github.distlock.testing.TcpProxy;
import io.github.distlock.testing.TestSettings;
import io.github.distlock.thread.LockTimers;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.awaitility.Awaitility.await;
import static io.github.distlock.testing.FlushedLog.flushed;

/**
 * A registry that cannot start, what the shutdown of a registry waits for, and locks that
 * are closed after it or after a restart.
 */
@ExtendWith(OutputCaptureExtension.class)
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

	private BackendLockRegistry impatient(Duration lease) {
		RegistrySettings settings = RedisNodes.settings(lease);
		return redis.node(TestSettings.of(settings.waitTime(), lease, null, settings.handOff(),
				settings.backendTimeout(), false, Duration.ZERO), List.of(this.events));
	}

	private static void failLocked(Lock lock, Runnable meanwhile) {
		lock.lock();
		try {
			meanwhile.run();
			throw new IllegalArgumentException("mine");
		}
		finally {
			lock.unlock();
		}
	}

	@Test
	void unlockAfterAShutdownEndsTheHoldAndDoesNotHideTheExceptionOfTheMethod() {
		BackendLockRegistry registry = impatient(Duration.ofSeconds(30));
		Lock lock = registry.obtain("shut-down");
		assertThatIllegalArgumentException().isThrownBy(() -> failLocked(lock, registry::shutdown)).withMessage("mine");
		assertThat(this.events.released).containsExactly("shut-down");
		assertThatExceptionOfType(IllegalMonitorStateException.class).isThrownBy(lock::unlock);
	}

	@Test
	void theReleaseOfALockThatIsHeldAfterTheShutdownDoesNotPromiseToContinue(CapturedOutput output) {
		BackendLockRegistry registry = impatient(Duration.ofSeconds(30));
		HeldLock held = registry.acquire(LockRequest.of("left-behind"));
		registry.shutdown();
		held.close();
		assertThat(flushed(output))
			.contains("The release of lock 'left-behind' has not been acknowledged by the store and is not"
					+ " repeated, since the registry has been shut down: the lock ends with its lease");
	}

	@Test
	void aLockThatIsHeldAcrossARestartIsLostAndStaysInTheStoreUntilItsLeaseEnds() {
		BackendLockRegistry registry = impatient(Duration.ofSeconds(30));
		AtomicInteger callbacks = new AtomicInteger();
		HeldLock held = registry.acquire(LockRequest.of("restarted"));
		HeldLock inner = registry.acquire(LockRequest.of("restarted"));
		held.onLost(callbacks::incrementAndGet);
		registry.shutdown();
		assertThat(held.isHeld()).isTrue();
		registry.start();
		assertThat(held.isHeld()).isFalse();
		assertThat(held.lossCause()).isEqualTo(LossCause.REGISTRY_RESTARTED);
		await().untilAtomic(callbacks, (value) -> value.equals(1));
		for (HeldLock level : List.of(inner, held)) {
			assertThatExceptionOfType(LockLostException.class).isThrownBy(level::close)
				.withMessageContaining("'restarted'")
				.withMessageContaining("its lock registry was stopped and started again while it was held")
				.withMessageContaining("distlock.shutdown-grace-period");
		}
		assertThatExceptionOfType(IllegalMonitorStateException.class).isThrownBy(held::close);
		registry.acquire(LockRequest.of("other")).close();
		assertThat(this.events.lost).containsExactly("restarted");
		assertThat(this.events.released).containsExactly("other");
		assertThat(registry.snapshot().isIdle()).isTrue();
		assertThat(this.two.tryAcquire(LockRequest.of("restarted").waitTime(Duration.ZERO))).isEmpty();
	}

	@Test
	void unlockAfterARestartThrowsTheLossOnce() {
		BackendLockRegistry registry = impatient(Duration.ofMillis(600));
		Lock lock = registry.obtain("restarted");
		lock.lock();
		registry.shutdown();
		registry.start();
		assertThatExceptionOfType(LockLostException.class).isThrownBy(lock::tryLock);
		assertThatExceptionOfType(LockLostException.class).isThrownBy(lock::unlock);
		assertThatExceptionOfType(IllegalMonitorStateException.class).isThrownBy(lock::unlock);
		this.two.acquire(LockRequest.of("restarted").waitTime(Duration.ofSeconds(10))).close();
		assertThat(lock.tryLock()).isTrue();
		lock.unlock();
	}

	private final BackendLockRegistry failing = new BackendLockRegistry(new Store(),
			RedisNodes.settings(Duration.ofSeconds(30)), List::of, new Machine(), LockObservers.NONE);

	private boolean refuses;

	private boolean open;

	private boolean closed;

	private @Nullable EngineThreads engineThreads;

	@Test
	void theStoreIsClosedIfAnErrorEndsTheStart() {
		assertThatExceptionOfType(OutOfMemoryError.class).isThrownBy(this.failing::start);
		assertThat(this.closed).isTrue();
	}

	@Test
	void aStartThatTheStoreRefusesLeavesNoTimerThread() {
		this.refuses = true;
		assertThatIllegalStateException().isThrownBy(this.failing::start).withMessage("refused");
		LockTimers timers = Objects.requireNonNull(this.engineThreads).timers();
		assertThatExceptionOfType(RejectedExecutionException.class).isThrownBy(() -> timers.schedule(() -> {
		}, 0));
	}

	/** It fails with an error when the store is open. */
	private final class Machine implements EngineEnvironment {

		@Override
		public TimeSource clock() {
			return TimeSource.SYSTEM;
		}

		@Override
		public EngineThreads newThreads() {
			ShutdownTests.this.engineThreads = EngineEnvironment.super.newThreads();
			return ShutdownTests.this.engineThreads;
		}

		@Override
		public Lock newLock() {
			if (ShutdownTests.this.open) {
				throw new OutOfMemoryError("simulated");
			}
			return new ReentrantLock();
		}

	}

	private final class Store extends IdleStore {

		@Override
		public LockStore open(StoreContext context) {
			if (ShutdownTests.this.refuses) {
				throw new IllegalStateException("refused");
			}
			ShutdownTests.this.open = true;
			return this;
		}

		@Override
		public void close() {
			ShutdownTests.this.closed = true;
		}

	}

}
