package io.github.distlock.registry;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import io.github.distlock.HeldLock;
import io.github.distlock.LockContext;
import io.github.distlock.LockLostException;
import io.github.distlock.LockRequest;
import io.github.distlock.backend.TimeSource;
import io.github.distlock.backend.local.LocalLockBackend;
import io.github.distlock.backend.local.LocalStore;
import io.github.distlock.testing.TestSettings;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Asynchronous work re-enters its own locks through its context.
 */
class WorkReentryTests {

	private static final LockRequest ONCE = LockRequest.of("k").waitTime(Duration.ZERO);

	private final List<BackendLockRegistry> registries = new ArrayList<>();

	private BackendLockRegistry registry;

	private HeldLock ofWork;

	@BeforeEach
	void hold() throws Exception {
		this.registry = registry();
		this.ofWork = this.registry.acquireAsync(ONCE).get(10, TimeUnit.SECONDS);
	}

	@AfterEach
	void stop() {
		this.registries.forEach(BackendLockRegistry::shutdown);
		assertThat(LockContext.current()).isEmpty();
	}

	@Test
	void workReentersItsOwnLockAndHoldsItUntilTheLastLevelIsClosed() throws Exception {
		HeldLock blocking;
		HeldLock asynchronous;
		LockContext.Scope scope = LockContext.open(this.ofWork);
		try {
			blocking = this.registry.acquire(ONCE);
			asynchronous = this.registry.tryAcquireAsync(ONCE).get(10, TimeUnit.SECONDS).orElseThrow();
			assertThat(this.registry.execute(ONCE, () -> LockContext.all().size())).isEqualTo(2);
		}
		finally {
			scope.close();
		}
		assertThat(blocking.fencingToken()).isEqualTo(this.ofWork.fencingToken());
		this.ofWork.close();
		blocking.close();
		assertThat(this.registry.tryAcquire(ONCE)).isEmpty();
		asynchronous.close();
		assertThat(this.registry.tryAcquire(ONCE)).hasValueSatisfying(HeldLock::close);
	}

	@Test
	void aLockOutsideTheContextIsNotReentered() throws Exception {
		assertThat(this.registry.tryAcquire(ONCE)).isEmpty();
		assertThat(this.registry.tryAcquireAsync(ONCE).get(10, TimeUnit.SECONDS)).isEmpty();
		try (HeldLock other = registry().acquire(ONCE)) {
			assertThat(inContextOf(other)).isEmpty();
		}
		this.ofWork.close();
	}

	@Test
	void aLockOfEndedWorkIsNotReentered() {
		this.ofWork.close();
		try (HeldLock next = this.registry.acquireAsync(ONCE).join()) {
			assertThat(next.isHeld()).isTrue();
			assertThat(inContextOf(this.ofWork)).isEmpty();
		}
	}

	@Test
	void aLockOfAThreadIsNotReenteredByAnotherThreadThroughItsContext() throws Exception {
		this.ofWork.close();
		try (HeldLock ofThread = this.registry.acquire(ONCE)) {
			assertThat(CompletableFuture.supplyAsync(() -> inContextOf(ofThread)).get(10, TimeUnit.SECONDS)).isEmpty();
		}
	}

	@Test
	void aLockViewBelongsToItsThread() {
		LockContext.Scope scope = LockContext.open(this.ofWork);
		try {
			assertThat(this.registry.obtain("k").tryLock()).isFalse();
		}
		finally {
			scope.close();
		}
		this.ofWork.close();
	}

	@Test
	void aLostLockIsNotReentered() throws Exception {
		this.ofWork.close();
		HeldLock brief = this.registry.acquireAsync(ONCE.leaseTime(Duration.ofMillis(100))).join();
		CompletableFuture<Void> lost = new CompletableFuture<>();
		brief.onLost(() -> lost.complete(null));
		lost.get(10, TimeUnit.SECONDS);
		assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> inContextOf(brief));
		LockContext.Scope scope = LockContext.open(brief);
		try {
			assertThat(this.registry.acquireAsync(ONCE)).failsWithin(Duration.ofSeconds(10))
				.withThrowableThat()
				.withCauseInstanceOf(LockLostException.class);
		}
		finally {
			scope.close();
		}
		assertThatExceptionOfType(LockLostException.class).isThrownBy(brief::close);
	}

	@Test
	void aLockOfTwoRegistriesIsReenteredInBoth() throws Exception {
		CompositeLockRegistry both = new CompositeLockRegistry(registry(), registry(), Duration.ZERO,
				TimeSource.SYSTEM);
		try (HeldLock held = both.acquireAsync(ONCE).get(10, TimeUnit.SECONDS)) {
			assertThat(both.tryAcquire(ONCE)).isEmpty();
			LockContext.Scope scope = LockContext.open(held);
			try {
				both.tryAcquire(ONCE).orElseThrow().close();
				both.acquireAsync(ONCE).get(10, TimeUnit.SECONDS).close();
			}
			finally {
				scope.close();
			}
			assertThat(held.isHeld()).isTrue();
		}
		this.ofWork.close();
	}

	private Optional<HeldLock> inContextOf(HeldLock lock) {
		LockContext.Scope scope = LockContext.open(lock);
		try {
			return this.registry.tryAcquire(ONCE);
		}
		finally {
			scope.close();
		}
	}

	private BackendLockRegistry registry() {
		BackendLockRegistry made = new BackendLockRegistry(
				new LocalLockBackend(new LocalStore(TimeSource.SYSTEM), 1, TimeSource.SYSTEM),
				TestSettings.of(Duration.ofSeconds(5), Duration.ofSeconds(30), null, TestSettings.NO_HAND_OFF,
						Duration.ofSeconds(10), false, Duration.ZERO),
				List.of(), TimeSource.SYSTEM);
		made.start();
		this.registries.add(made);
		return made;
	}

}
