package io.github.distlock.registry;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.Lock;

import io.github.distlock.HeldLock;
import io.github.distlock.LockBackendException;
import io.github.distlock.LockContext;
import io.github.distlock.LockDefinitionException;
import io.github.distlock.LockLostException;
import io.github.distlock.LockNotAcquiredException;
import io.github.distlock.LockRegistry;
import io.github.distlock.LockRequest;
import io.github.distlock.RunResult;
import io.github.distlock.backend.TimeSource;
import io.github.distlock.testing.ManualClock;
import io.github.distlock.testing.RecordedEvents;
import io.github.distlock.testing.RedisNodes;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.mockito.AdditionalAnswers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;
import static org.mockito.ArgumentMatchers.argThat;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.verify;

/**
 * A lock in two stores, each a real server of its own, and the contract of {@link Lock}
 * over both.
 */
class CompositeLockRegistryTests {

	private static final String KEY = "order-1";

	private static final LockRequest REQUEST = LockRequest.of(KEY).waitTime(Duration.ofSeconds(20));

	private static final LockRequest BRIEF = REQUEST.waitTime(Duration.ofMillis(100));

	@AutoClose
	private static final RedisNodes firstServer = RedisNodes.start();

	@AutoClose
	private static final RedisNodes secondServer = RedisNodes.start();

	private final RecordedEvents firstEvents = new RecordedEvents();

	private final RecordedEvents secondEvents = new RecordedEvents();

	private BackendLockRegistry first;

	private BackendLockRegistry second;

	private CompositeLockRegistry both;

	private BackendLockRegistry firstRival;

	private BackendLockRegistry secondRival;

	private Lock lock;

	private final ExecutorService threads = Executors.newCachedThreadPool();

	@BeforeEach
	void startNodes() {
		firstServer.flush();
		secondServer.flush();
		this.first = firstServer.node(RedisNodes.settings(Duration.ofSeconds(9)), List.of(this.firstEvents));
		this.second = secondServer.node(RedisNodes.settings(Duration.ofSeconds(9)), List.of(this.secondEvents));
		this.both = new CompositeLockRegistry(this.first, this.second, Duration.ofSeconds(5), TimeSource.SYSTEM);
		this.lock = this.both.obtain(KEY);
		this.firstRival = firstServer.node();
		this.secondRival = secondServer.node();
	}

	@AfterEach
	void stopNodes() {
		this.threads.shutdownNow();
		firstServer.stopNodes();
		secondServer.stopNodes();
	}

	private static void assertLocked(boolean inTheFirst, boolean inTheSecond) {
		assertThat(firstServer.isLocked(KEY)).isEqualTo(inTheFirst);
		assertThat(secondServer.isLocked(KEY)).isEqualTo(inTheSecond);
	}

	@Test
	void tryRunRunsUnderBothLocksOrSaysWhyItDidNot() throws Exception {
		assertThat(this.both.tryRun(REQUEST, () -> {
			assertLocked(true, true);
			return "done";
		})).isEqualTo(new RunResult.Ran<>("done"));
		try (HeldLock taken = this.secondRival.acquire(REQUEST)) {
			assertThat(this.both.tryRun(BRIEF, () -> "done")).isInstanceOfSatisfying(RunResult.NotRun.class,
					(result) -> assertThat(result.exception().holder()).isNotNull());
		}
		assertThatExceptionOfType(LockNotAcquiredException.class).isThrownBy(() -> this.both.tryRun(REQUEST, () -> {
			throw new LockNotAcquiredException("of another lock");
		})).withMessage("of another lock");
		assertLocked(false, false);
	}

	@Test
	void aLockIsAcquiredInBothAndReleasedInBoth() throws Exception {
		HeldLock lock = this.both.acquire(REQUEST);
		assertLocked(true, true);
		assertThat(lock.isHeld()).isTrue();
		assertThat(lock.key()).isEqualTo("order-1");
		assertThat(lock.remaining()).isBetween(Duration.ofMillis(1), Duration.ofSeconds(9));
		assertThat(lock.fencingToken()).isEqualTo(this.firstEvents.attempted.element().fencingToken());
		lock.close();
		assertLocked(false, false);
		assertThat(lock.isHeld()).isFalse();
		assertThat(lock.isReleased()).isTrue();
		assertThat(lock.remaining()).isZero();
		assertThatExceptionOfType(IllegalMonitorStateException.class).isThrownBy(lock::close);
		assertThat(this.both.execute(REQUEST, () -> LockContext.current().orElseThrow().isHeld())).isTrue();
		assertLocked(false, false);
	}

	private static @Nullable Throwable failure(LockRegistry registry, Way way) {
		try {
			assertThat(way.gets(registry)).isFalse();
			return null;
		}
		catch (Throwable ex) {
			return (ex instanceof ExecutionException) ? ex.getCause() : ex;
		}
	}

	private void assertRefused(boolean lockedInTheSecond) {
		for (Way way : Way.values()) {
			assertThat(failure(this.both, way)).as(way.name())
				.satisfiesAnyOf((none) -> assertThat(none).isNull(),
						(refusal) -> assertThat(refusal).isInstanceOf(LockNotAcquiredException.class));
			assertLocked(!lockedInTheSecond, lockedInTheSecond);
		}
	}

	@Test
	void aLockThatTheFirstRefusesIsNotRequestedFromTheSecond() {
		try (HeldLock rival = this.firstRival.acquire(REQUEST)) {
			assertRefused(false);
			assertThat(rival.isHeld()).isTrue();
		}
		assertThat(this.secondEvents.attempted).isEmpty();
	}

	@Test
	void theFirstIsReleasedIfTheSecondIsNotAcquired() {
		try (HeldLock rival = this.secondRival.acquire(REQUEST)) {
			assertRefused(true);
			assertThat(rival.isHeld()).isTrue();
		}
	}

	@Test
	void aFailureOfTheSecondReleasesTheFirst() {
		this.second.shutdown();
		for (Way way : Way.values()) {
			assertThat(failure(this.both, way)).as(way.name()).isInstanceOf(LockBackendException.class);
			assertLocked(false, false);
		}
		assertThatExceptionOfType(IllegalMonitorStateException.class).isThrownBy(this.lock::unlock);
	}

	@Test
	void anErrorOfTheSecondReachesTheCallerAndReleasesTheFirst() {
		Error error = new Error("The second is broken");
		LockRegistry broken = mock(LockRegistry.class, (invocation) -> {
			throw error;
		});
		CompositeLockRegistry composite = composite(this.first, broken, TimeSource.SYSTEM);
		for (Way way : Way.values()) {
			assertThat(failure(composite, way)).as(way.name()).isSameAs(error);
			assertLocked(false, false);
		}
	}

	@Test
	void theSecondWaitsForWhatTheFirstLeftOfTheWaitTime() {
		ManualClock clock = new ManualClock();
		LockRegistry slow = mock(LockRegistry.class, (invocation) -> {
			clock.pass(Duration.ofSeconds(3));
			return AdditionalAnswers.delegatesTo(this.first).answer(invocation);
		});
		LockRegistry watched = mock(LockRegistry.class, AdditionalAnswers.delegatesTo(this.second));
		CompositeLockRegistry composite = composite(slow, watched, clock);
		composite.acquire(REQUEST.waitTime(Duration.ofSeconds(10))).close();
		verify(watched).acquire(argThat((request) -> Duration.ofSeconds(7).equals(request.waitTime())));
		composite.tryAcquire(REQUEST.waitTime(Duration.ofSeconds(2))).orElseThrow().close();
		verify(watched).tryAcquire(argThat((request) -> Duration.ZERO.equals(request.waitTime())));
		composite.acquireAsync(REQUEST.waitTime(LockRequest.FOREVER)).join().close();
		verify(watched).acquireAsync(argThat((request) -> LockRequest.FOREVER.equals(request.waitTime())));
		composite.acquire(LockRequest.of("order-1")).close();
		verify(watched).acquire(argThat((request) -> Duration.ofSeconds(2).equals(request.waitTime())));
	}

	@ParameterizedTest
	@ValueSource(strings = { "first", "second", "first and second" })
	void aLockThatIsLostInOneOrBothIsLostOnce(String stores) {
		HeldLock lock = this.both.acquire(REQUEST);
		AtomicInteger notified = new AtomicInteger();
		lock.onLost(notified::incrementAndGet);
		if (stores.contains("first")) {
			firstServer.flush();
		}
		if (stores.contains("second")) {
			secondServer.flush();
		}
		int losses = stores.split(" and ").length;
		await()
			.until(() -> this.firstEvents.lost.size() + this.secondEvents.lost.size() == losses && notified.get() > 0);
		assertThat(lock.isHeld()).isFalse();
		assertThat(lock.remaining()).isZero();
		assertThatExceptionOfType(LockLostException.class).isThrownBy(lock::close)
			.satisfies((ex) -> assertThat(ex.getSuppressed()).filteredOn(LockLostException.class::isInstance)
				.hasSizeGreaterThanOrEqualTo(losses - 1));
		assertThat(lock.isReleased()).isFalse();
		assertLocked(false, false);
		assertThat(notified).hasValue(1);
	}

	@Test
	void aLockThatIsLostDuringTheWaitForTheSecondIsNotAcquired() throws Exception {
		HeldLock rival = this.secondRival.acquire(REQUEST);
		CompletableFuture<HeldLock> waiting = CompletableFuture
			.supplyAsync(() -> this.both.acquire(REQUEST.leaseTime(Duration.ofSeconds(1))));
		await().until(() -> this.firstEvents.lost.size() == 1);
		rival.close();
		assertThatExceptionOfType(CompletionException.class).isThrownBy(waiting::join)
			.withCauseInstanceOf(LockNotAcquiredException.class)
			.withMessageContaining("was lost in the first of two registries");
		await().untilAsserted(() -> assertLocked(false, false));
	}

	@Test
	void anAsynchronousHolderHoldsBothWithoutAThread() {
		HeldLock lock = this.both.acquireAsync(REQUEST).join();
		assertLocked(true, true);
		assertThat(this.both.tryAcquire(BRIEF)).isEmpty();
		lock.close();
		assertLocked(false, false);
		this.both.tryAcquireAsync(REQUEST).join().orElseThrow().close();
		assertLocked(false, false);
	}

	@Test
	void cancellingAnAsynchronousWaitReleasesTheFirst() {
		try (HeldLock rival = this.secondRival.acquire(REQUEST)) {
			CompletableFuture<HeldLock> waiting = this.both.acquireAsync(REQUEST);
			await().until(() -> this.secondEvents.waiting.get() == 1);
			assertLocked(true, true);
			waiting.cancel(false);
			assertThatExceptionOfType(CancellationException.class).isThrownBy(waiting::join);
			await().until(() -> !firstServer.isLocked("order-1"));
			assertThat(rival.isHeld()).isTrue();
		}
		await().until(() -> this.second.snapshot().isIdle() && this.first.snapshot().isIdle());
		assertLocked(false, false);
	}

	@Test
	void aFutureThatIsCancelledAtTheMomentOfTheGrantReleasesBoth() {
		CompletableFuture<HeldLock> grantOfSecond = new CompletableFuture<>() {

			@Override
			public boolean cancel(boolean mayInterrupt) {
				return false;
			}

		};
		LockRegistry late = mock(LockRegistry.class, (invocation) -> grantOfSecond);
		CompletableFuture<HeldLock> future = composite(this.first, late, TimeSource.SYSTEM).acquireAsync(REQUEST);
		await().until(() -> firstServer.isLocked(KEY));
		future.cancel(false);
		grantOfSecond.complete(this.second.acquireAsync(REQUEST).join());
		await().untilAsserted(() -> assertLocked(false, false));
	}

	@ParameterizedTest
	@ValueSource(strings = { "acquire", "tryLock", "lockInterruptibly" })
	void anInterruptDuringTheWaitForTheSecondReleasesTheFirst(String way) throws Exception {
		HeldLock rival = this.secondRival.acquire(REQUEST);
		CompletableFuture<Thread> thread = new CompletableFuture<>();
		Future<?> waiter = this.threads.submit(() -> {
			thread.complete(Thread.currentThread());
			switch (way) {
				case "acquire" -> acquireInterrupted();
				case "tryLock" -> this.lock.tryLock(20, TimeUnit.SECONDS);
				default -> this.lock.lockInterruptibly();
			}
			return true;
		});
		await().until(() -> this.secondEvents.waiting.get() == 1);
		thread.join().interrupt();
		assertThatExceptionOfType(ExecutionException.class).isThrownBy(() -> waiter.get(10, TimeUnit.SECONDS))
			.withCauseInstanceOf(InterruptedException.class);
		assertLocked(false, true);
		rival.close();
	}

	private void acquireInterrupted() throws Exception {
		try {
			this.both.acquire(REQUEST);
		}
		catch (LockNotAcquiredException ex) {
			assertThat(Thread.currentThread().isInterrupted()).isTrue();
			throw (Exception) ex.getCause();
		}
	}

	private static CompositeLockRegistry composite(LockRegistry first, LockRegistry second, TimeSource clock) {
		return new CompositeLockRegistry(first, second, Duration.ofSeconds(5), clock);
	}

	@ParameterizedTest
	@ValueSource(booleans = { false, true })
	void viewsAreInterchangeableAndReentrantAndOwnedByTheirThread(boolean inBoth) throws Exception {
		LockRegistry registry = inBoth ? this.both : this.first;
		Lock view = registry.obtain(KEY);
		view.lock();
		assertThat(view.tryLock()).isTrue();
		assertThat(registry.obtain(KEY).tryLock(1, TimeUnit.SECONDS)).isTrue();
		assertLocked(true, inBoth);
		assertThat(this.threads.submit(() -> view.tryLock()).get(10, TimeUnit.SECONDS)).isFalse();
		this.threads
			.submit(() -> assertThatExceptionOfType(IllegalMonitorStateException.class).isThrownBy(view::unlock))
			.get(10, TimeUnit.SECONDS);
		view.unlock();
		registry.obtain(KEY).unlock();
		assertLocked(true, inBoth);
		view.unlock();
		assertLocked(false, false);
		assertThatExceptionOfType(IllegalMonitorStateException.class).isThrownBy(view::unlock);
		assertThatExceptionOfType(UnsupportedOperationException.class).isThrownBy(view::newCondition);
		assertThat(view.tryLock(20, TimeUnit.SECONDS)).isTrue();
		view.unlock();
	}

	@Test
	void unlockAfterALossInOneThrowsLockLostExceptionAndReleasesTheOther() {
		this.lock.lock();
		secondServer.flush();
		await().until(() -> this.secondEvents.lost.size() == 1);
		assertThatExceptionOfType(LockLostException.class).isThrownBy(this.lock::unlock);
		assertLocked(false, false);
		this.lock.lock();
		assertLocked(true, true);
		this.lock.unlock();
	}

	@Test
	void aKeyThatNoStoreSupportsIsRefused() {
		assertThatExceptionOfType(LockDefinitionException.class).isThrownBy(() -> this.both.obtain(" "));
	}

	/** The ways to ask for a lock. */
	enum Way {

		ACQUIRE, TRY_ACQUIRE, ACQUIRE_ASYNC, TRY_ACQUIRE_ASYNC, TRY_LOCK, TRY_LOCK_FOR_A_WHILE;

		boolean gets(LockRegistry registry) throws Exception {
			return switch (this) {
				case ACQUIRE -> registry.acquire(BRIEF).isHeld();
				case TRY_ACQUIRE -> registry.tryAcquire(BRIEF).isPresent();
				case ACQUIRE_ASYNC -> registry.acquireAsync(BRIEF).get(20, TimeUnit.SECONDS).isHeld();
				case TRY_ACQUIRE_ASYNC -> registry.tryAcquireAsync(BRIEF).get(20, TimeUnit.SECONDS).isPresent();
				case TRY_LOCK -> registry.obtain(KEY).tryLock();
				case TRY_LOCK_FOR_A_WHILE -> registry.obtain(KEY).tryLock(100, TimeUnit.MILLISECONDS);
			};
		}

	}

}
