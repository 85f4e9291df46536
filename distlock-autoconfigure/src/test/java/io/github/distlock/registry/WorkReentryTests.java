package io.github.distlock.registry;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;

import io.github.distlock.testing.RecordedEvents;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import io.github.distlock.HeldLock;
import io.github.distlock.LockContext;
import io.github.distlock.LockDefinitionException;
import io.github.distlock.LockLostException;
import io.github.distlock.LockMode;
import io.github.distlock.LockRequest;
import io.github.distlock.backend.ControlledLock;
import io.github.distlock.backend.TimeSource;
import io.github.distlock.backend.local.LocalLockBackend;
import io.github.distlock.backend.local.LocalStore;
import io.github.distlock.testing.CheckedEnvironment;
import io.github.distlock.testing.TestSettings;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * Asynchronous work re-enters its own locks through its context, and a thread has reading
 * and writing levels of a lock that it holds.
 */
class WorkReentryTests {

	private static final LockRequest ONCE = LockRequest.of("k").waitTime(Duration.ZERO);

	private static final LockRequest READ = LockRequest.of("order-1")
		.waitTime(Duration.ofSeconds(20))
		.mode(LockMode.READ);

	private static final LockRequest WRITE = READ.mode(LockMode.WRITE);

	private final LocalStore store = new LocalStore(TimeSource.SYSTEM);

	private final RecordedEvents events = new RecordedEvents();

	private final ExecutorService threads = Executors.newCachedThreadPool();

	private final List<BackendLockRegistry> registries = new ArrayList<>();

	private BackendLockRegistry registry;

	/** Another one on the same store. */
	private BackendLockRegistry two;

	private HeldLock ofWork;

	@BeforeEach
	void hold() throws Exception {
		this.registry = registry(this.store);
		this.two = registry(this.store);
		this.ofWork = this.registry.acquireAsync(ONCE).get(10, TimeUnit.SECONDS);
	}

	@AfterEach
	void stop() {
		this.threads.shutdownNow();
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
		return registry(new LocalStore(TimeSource.SYSTEM));
	}

	private BackendLockRegistry registry(LocalStore store) {
		BackendLockRegistry made = CheckedEnvironment.registry(new LocalLockBackend(store, 17, TimeSource.SYSTEM),
				TestSettings.of(Duration.ofSeconds(20), Duration.ofSeconds(30), null, TestSettings.NO_HAND_OFF,
						Duration.ofSeconds(10), false, Duration.ZERO),
				List.of(this.events), TimeSource.SYSTEM);
		made.start();
		this.registries.add(made);
		return made;
	}

	private boolean twoFinds(LockMode mode) {
		return this.two.tryAcquire(READ.mode(mode).waitTime(Duration.ZERO)).map((lock) -> {
			lock.close();
			return lock;
		}).isPresent();
	}

	@Test
	void aLockViewInsideAWriterExcludesReadersUntilAllLevelsAreClosed() {
		HeldLock writer = this.registry.acquire(WRITE);
		Lock view = this.registry.obtain("order-1");
		view.lock();
		HeldLock reader = this.registry.acquire(READ);
		writer.close();
		view.unlock();
		assertThat(twoFinds(LockMode.READ)).isFalse();
		view.lock();
		view.unlock();
		reader.close();
		assertThat(twoFinds(LockMode.WRITE)).isTrue();
	}

	@Test
	void levelsMayBeClosedByAnyThreadAtAnyMoment() throws Exception {
		this.ofWork.close();
		for (int round = 0; round < 200; round++) {
			List<HeldLock> levels = List.of(this.registry.acquire(WRITE), this.registry.acquire(READ),
					this.registry.acquire(WRITE), this.registry.acquire(READ));
			CountDownLatch start = new CountDownLatch(1);
			List<Future<?>> closers = new ArrayList<>();
			for (HeldLock level : levels) {
				closers.add(this.threads.submit(() -> {
					start.await();
					level.close();
					return true;
				}));
			}
			start.countDown();
			for (Future<?> closer : closers) {
				closer.get(10, TimeUnit.SECONDS);
			}
			assertThat(this.registry.snapshot().isIdle()).isTrue();
		}
		// Listeners are called by another thread if the one that acquired does not close.
		await().until(() -> this.events.released.size() == 201);
		assertThat(this.events.lost).isEmpty();
	}

	@Test
	void aCompositePassesModesOnToBothParts() {
		LocalStore other = new LocalStore(TimeSource.SYSTEM);
		BackendLockRegistry second = registry(other);
		BackendLockRegistry rival = registry(other);
		CompositeLockRegistry both = new CompositeLockRegistry(this.registry, second, Duration.ofSeconds(20),
				TimeSource.SYSTEM);
		HeldLock reader = both.acquire(READ);
		for (BackendLockRegistry half : List.of(this.two, rival)) {
			half.acquire(READ.waitTime(Duration.ZERO)).close();
			assertThat(half.tryAcquire(WRITE.waitTime(Duration.ZERO))).isEmpty();
		}
		assertThatExceptionOfType(LockDefinitionException.class).isThrownBy(() -> both.acquire(WRITE));
		assertThat(reader.isHeld()).isTrue();
		reader.close();
		HeldLock writer = both.acquire(WRITE);
		reader = both.acquire(READ);
		assertThat(reader.fencingToken()).isEqualTo(writer.fencingToken());
		writer.close();
		assertThat(reader.isHeld()).isTrue();
		for (BackendLockRegistry half : List.of(this.two, rival)) {
			assertThat(half.tryAcquire(READ.waitTime(Duration.ZERO))).isEmpty();
		}
		reader.close();
		for (BackendLockRegistry half : List.of(this.two, rival)) {
			half.acquire(WRITE.waitTime(Duration.ZERO)).close();
		}
	}

}
