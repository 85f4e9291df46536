package io.github.distlock.registry;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;

import io.github.distlock.HeldLock;
import io.github.distlock.LockContext;
import io.github.distlock.LockDefinitionException;
import io.github.distlock.LockLostException;
import io.github.distlock.LockRequest;
import io.github.distlock.backend.ControlledLock;
import io.github.distlock.backend.TimeSource;
import io.github.distlock.backend.local.LocalLockBackend;
import io.github.distlock.backend.local.LocalStore;
import io.github.distlock.testing.CheckedEnvironment;
import io.github.distlock.testing.TestSettings;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
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
		try (LockContext.Scope scope = LockContext.open(this.ofWork)) {
			blocking = this.registry.acquire(ONCE);
			asynchronous = this.registry.tryAcquireAsync(ONCE).get(10, TimeUnit.SECONDS).orElseThrow();
			assertThat(this.registry.execute(ONCE, () -> LockContext.all().size())).isEqualTo(2);
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
	void anEventLoopThatServesManyCallersReentersNoLockOfItsThreadAndDoesNotWait() throws Exception {
		this.ofWork.close();
		EventLoopGroup loops = new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
		try {
			HeldLock first = loops.submit(() -> this.registry.acquire(ONCE)).get(10, TimeUnit.SECONDS);
			assertThat(loops.submit(() -> this.registry.tryAcquire(ONCE)).get(10, TimeUnit.SECONDS)).isEmpty();
			assertThatExceptionOfType(ExecutionException.class)
				.isThrownBy(
						() -> loops.submit(() -> this.registry.acquire(LockRequest.of("k"))).get(10, TimeUnit.SECONDS))
				.withCauseInstanceOf(LockDefinitionException.class)
				.withMessageContaining("on thread 'multiThreadIoEventLoop", "which must not block", "use acquireAsync");
			assertThatExceptionOfType(ExecutionException.class)
				.isThrownBy(() -> loops.submit(() -> this.registry.obtain("k").lock()).get(10, TimeUnit.SECONDS))
				.withCauseInstanceOf(LockDefinitionException.class);
			first.close();
			// What ends before it returns to the loop works, and so does its re-entry.
			assertThat(loops.submit(() -> this.registry.execute(ONCE, () -> this.registry.execute(ONCE, () -> "both")))
				.get(10, TimeUnit.SECONDS)).isEqualTo("both");
		}
		finally {
			loops.shutdownGracefully(0, 0, TimeUnit.SECONDS);
		}
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
		try (LockContext.Scope scope = LockContext.open(this.ofWork)) {
			assertThat(this.registry.obtain("k").tryLock()).isFalse();
		}
		this.ofWork.close();
	}

	@Test
	void aLostLockIsNotReentered() throws Exception {
		this.ofWork.close();
		HeldLock brief = this.registry.acquireAsync(ONCE).join();
		ControlledLock.expireAfter(brief, Duration.ofMillis(100));
		CompletableFuture<Void> lost = new CompletableFuture<>();
		brief.onLost(() -> lost.complete(null));
		lost.get(10, TimeUnit.SECONDS);
		assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> inContextOf(brief));
		try (LockContext.Scope scope = LockContext.open(brief)) {
			assertThat(this.registry.acquireAsync(ONCE)).failsWithin(Duration.ofSeconds(10))
				.withThrowableThat()
				.withCauseInstanceOf(LockLostException.class);
		}
		assertThatExceptionOfType(LockLostException.class).isThrownBy(brief::close);
	}

	@Test
	void aLockOfTwoRegistriesIsReenteredInBoth() throws Exception {
		CompositeLockRegistry both = new CompositeLockRegistry(registry(), registry(), Duration.ZERO,
				TimeSource.SYSTEM);
		try (HeldLock held = both.acquireAsync(ONCE).get(10, TimeUnit.SECONDS)) {
			assertThat(both.tryAcquire(ONCE)).isEmpty();
			try (LockContext.Scope scope = LockContext.open(held)) {
				both.tryAcquire(ONCE).orElseThrow().close();
				both.acquireAsync(ONCE).get(10, TimeUnit.SECONDS).close();
			}
			assertThat(held.isHeld()).isTrue();
		}
		this.ofWork.close();
	}

	private Optional<HeldLock> inContextOf(HeldLock lock) {
		try (LockContext.Scope scope = LockContext.open(lock)) {
			return this.registry.tryAcquire(ONCE);
		}
	}

	private BackendLockRegistry registry() {
		BackendLockRegistry made = CheckedEnvironment.registry(
				new LocalLockBackend(new LocalStore(TimeSource.SYSTEM), 1, TimeSource.SYSTEM),
				TestSettings.of(Duration.ofSeconds(5), Duration.ofSeconds(30), null, TestSettings.NO_HAND_OFF,
						Duration.ofSeconds(10), false, Duration.ZERO),
				List.of(), TimeSource.SYSTEM);
		made.start();
		this.registries.add(made);
		return made;
	}

}
