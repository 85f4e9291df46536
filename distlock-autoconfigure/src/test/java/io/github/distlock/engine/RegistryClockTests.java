package io.github.distlock.engine;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

import io.github.distlock.HeldLock;
import io.github.distlock.LockListener;
import io.github.distlock.LockRequest;
import io.github.distlock.backend.LockBackend;
import io.github.distlock.backend.TimeSource;
import io.github.distlock.backend.local.LocalLockBackend;
import io.github.distlock.backend.local.LocalStore;
import io.github.distlock.environment.EngineThreads;
import io.github.distlock.observation.LockObservers;
import io.github.distlock.registry.BackendLockRegistry;
import io.github.distlock.testing.CheckedEnvironment;
import io.github.distlock.testing.ManualClock;
import io.github.distlock.testing.RedisNodes;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Registries with a manual clock, whose tasks run when a test says. No thread may park.
 */
class RegistryClockTests implements LockListener {

	private static final Duration LEASE = Duration.ofSeconds(30);

	private static final LockRequest KEY = LockRequest.of("key");

	private final ManualClock clock = new ManualClock();

	private final ManualTimers timers = new ManualTimers(this.clock);

	private final Deque<Runnable> tasks = new ArrayDeque<>();

	private final LocalStore store = new LocalStore(this.clock);

	private final BackendLockRegistry one = registry(new LocalLockBackend(this.store, 17, this.clock), List.of(this));

	private final BackendLockRegistry two = registry(new LocalLockBackend(this.store, 17, this.clock), List.of());

	private Runnable whenWaiting = () -> {
	};

	private BackendLockRegistry registry(LockBackend backend, List<LockListener> listeners) {
		BackendLockRegistry registry = new BackendLockRegistry(backend, RedisNodes.settings(LEASE), () -> listeners,
				new ManualEnvironment(), LockObservers.NONE);
		registry.start();
		return registry;
	}

	@AfterEach
	void stop() {
		this.one.shutdown();
		this.two.shutdown();
	}

	@Override
	public void onWaiting(Waiting event) {
		this.whenWaiting.run();
	}

	private void runTasks() {
		while (!this.tasks.isEmpty()) {
			this.tasks.remove().run();
		}
	}

	@Test
	void aGrantThatExpiresBeforeItsCallerTakesItIsGivenBackAndTheCallerAttemptsAgain() {
		HeldLock before = this.two.acquire(KEY);
		this.whenWaiting = () -> {
			before.close();
			this.clock.pass(LEASE);
		};
		try (HeldLock lock = this.one.acquire(KEY.waitTime(LEASE.multipliedBy(2)))) {
			assertThat(lock.isHeld()).isTrue();
		}
	}

	@Test
	void afterAGrantThatHasExpiredACallerWaitsForTheRestOfItsWaitTime() {
		HeldLock before = this.two.acquire(KEY);
		this.whenWaiting = () -> passOn(before);
		assertThat(this.one.tryAcquire(KEY.waitTime(LEASE))).isEqualTo(Optional.empty());
	}

	@Test
	void soDoesAFuture() {
		HeldLock before = this.two.acquire(KEY);
		CompletableFuture<Optional<HeldLock>> waiting = this.one.tryAcquireAsync(KEY.waitTime(LEASE));
		passOn(before);
		runTasks();
		this.timers.pass(Duration.ZERO);
		runTasks();
		assertThat(waiting).isCompletedWithValue(Optional.empty());
	}

	/** The next caller does not run before its lease has expired and others came. */
	private void passOn(HeldLock before) {
		before.close();
		this.clock.pass(LEASE.plusSeconds(1));
		this.two.acquire(KEY);
	}

	@Test
	void callbacksOfALossDoNotRunOnTheThreadOfTheTimer() {
		List<HeldLock> lost = new ArrayList<>();
		HeldLock lock = this.one.acquire(KEY.leaseTime(LEASE));
		lock.onLost(() -> lost.add(lock));
		this.timers.pass(LEASE);
		assertThat(lost).isEmpty();
		runTasks();
		assertThat(lost).containsExactly(lock);
	}

	private final class ManualEnvironment implements CheckedEnvironment {

		@Override
		public TimeSource clock() {
			return RegistryClockTests.this.clock;
		}

		@Override
		public EngineThreads newThreads() {
			return RenewalScenario.threads(RegistryClockTests.this.tasks::add, RegistryClockTests.this.timers);
		}

		@Override
		public void park(Object blocker, long nanos) {
			throw new AssertionError("A thread waits");
		}

	}

}
