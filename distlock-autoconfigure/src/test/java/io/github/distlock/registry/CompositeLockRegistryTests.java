package io.github.distlock.registry;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
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
import io.github.distlock.testing.RedisNodes;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.mockito.AdditionalAnswers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
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
		this.first = firstServer.node(RedisNodes.settings(Duration.ofMillis(900)), List.of(this.firstEvents));
		this.second = secondServer.node(RedisNodes.settings(Duration.ofMillis(900)), List.of(this.secondEvents));
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
		assertThat(lock.remaining()).isBetween(Duration.ofMillis(1), Duration.ofMillis(950));
		assertThat(lock.fencingToken()).isEqualTo(this.firstEvents.attempted.element().fencingToken());
		lock.close();
		assertLocked(false, false);
		assertThat(lock.isHeld()).isFalse();
		assertThat(lock.remaining()).isZero();
		assertThatExceptionOfType(IllegalMonitorStateException.class).isThrownBy(lock::close);
		assertThat(this.both.execute(REQUEST, () -> LockContext.current().orElseThrow().isHeld())).isTrue();
		assertLocked(false, false);
	}

	@Test
	void aLockThatTheFirstRefusesIsNotRequestedFromTheSecond() {
		try (HeldLock rival = this.firstRival.acquire(REQUEST)) {
			assertThatExceptionOfType(LockNotAcquiredException.class).isThrownBy(() -> this.both.acquire(BRIEF));
			assertThat(this.both.tryAcquire(BRIEF)).isEmpty();
			assertThat(this.both.acquireAsync(BRIEF)).failsWithin(Duration.ofSeconds(10))
				.withThrowableThat()
				.withCauseInstanceOf(LockNotAcquiredException.class);
			assertThat(this.both.tryAcquireAsync(BRIEF).join()).isEmpty();
			assertThat(rival.isHeld()).isTrue();
		}
		assertThat(this.secondEvents.attempted).isEmpty();
	}

	@Test
	void theFirstIsReleasedIfTheSecondIsNotAcquired() {
		try (HeldLock rival = this.secondRival.acquire(REQUEST)) {
			assertThatExceptionOfType(LockNotAcquiredException.class).isThrownBy(() -> this.both.acquire(BRIEF));
			assertLocked(false, true);
			assertThat(this.both.tryAcquire(BRIEF)).isEmpty();
			assertLocked(false, true);
			assertThat(this.both.acquireAsync(BRIEF)).failsWithin(Duration.ofSeconds(10))
				.withThrowableThat()
				.withCauseInstanceOf(LockNotAcquiredException.class);
			assertLocked(false, true);
			assertThat(this.both.tryAcquireAsync(BRIEF).join()).isEmpty();
			assertLocked(false, true);
			assertThat(rival.isHeld()).isTrue();
		}
	}

	@Test
	void aFailureOfTheSecondReleasesTheFirst() {
		this.second.shutdown();
		assertThatExceptionOfType(LockBackendException.class).isThrownBy(() -> this.both.acquire(BRIEF));
		assertLocked(false, false);
		assertThatExceptionOfType(LockBackendException.class).isThrownBy(() -> this.both.tryAcquire(BRIEF));
		assertLocked(false, false);
		assertThat(this.both.acquireAsync(BRIEF)).failsWithin(Duration.ofSeconds(10))
			.withThrowableThat()
			.withCauseInstanceOf(LockBackendException.class);
		assertLocked(false, false);
	}

	@Test
	void anErrorOfTheSecondReachesTheCallerAndReleasesTheFirst() {
		Error error = new Error("The second is broken");
		LockRegistry broken = mock(LockRegistry.class, (invocation) -> {
			throw error;
		});
		CompositeLockRegistry composite = composite(this.first, broken, TimeSource.SYSTEM);
		assertThatThrownBy(() -> composite.acquire(REQUEST)).isSameAs(error);
		assertLocked(false, false);
		assertThatThrownBy(() -> composite.tryAcquire(REQUEST)).isSameAs(error);
		assertLocked(false, false);
		assertThat(composite.acquireAsync(REQUEST).handle((lock, failure) -> failure).join()).isSameAs(error);
		assertLocked(false, false);
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

	@Test
	void theHolderReenters() {
		HeldLock outer = this.both.acquire(REQUEST);
		HeldLock inner = this.both.tryAcquire(BRIEF).orElseThrow();
		assertThat(inner.fencingToken()).isEqualTo(outer.fencingToken());
		inner.close();
		assertLocked(true, true);
		assertThat(outer.isHeld()).isTrue();
		outer.close();
		assertLocked(false, false);
	}

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void aLockThatIsLostInOneIsLost(boolean inTheFirst) {
		HeldLock lock = this.both.acquire(REQUEST);
		AtomicInteger notified = new AtomicInteger();
		lock.onLost(notified::incrementAndGet);
		(inTheFirst ? firstServer : secondServer).flush();
		await().until(() -> notified.get() == 1);
		assertThat(lock.isHeld()).isFalse();
		assertThat(lock.remaining()).isZero();
		assertThatExceptionOfType(LockLostException.class).isThrownBy(lock::close);
		assertLocked(false, false);
		assertThat(notified).hasValue(1);
	}

	@Test
	void aLossInBothIsReportedOnce() {
		HeldLock lock = this.both.acquire(REQUEST);
		AtomicInteger notified = new AtomicInteger();
		lock.onLost(notified::incrementAndGet);
		firstServer.flush();
		secondServer.flush();
		await().until(() -> this.firstEvents.lost.size() + this.secondEvents.lost.size() == 2 && notified.get() > 0);
		assertThatExceptionOfType(LockLostException.class).isThrownBy(lock::close)
			.satisfies((ex) -> assertThat(ex.getSuppressed()).hasAtLeastOneElementOfType(LockLostException.class));
		assertThat(notified).hasValue(1);
	}

	@Test
	void aLockThatIsLostDuringTheWaitForTheSecondIsNotAcquired() throws Exception {
		HeldLock rival = this.secondRival.acquire(REQUEST);
		CompletableFuture<HeldLock> waiting = CompletableFuture
			.supplyAsync(() -> this.both.acquire(REQUEST.leaseTime(Duration.ofMillis(300))));
		await().until(() -> this.firstEvents.lost.size() == 1);
		rival.close();
		assertThatExceptionOfType(CompletionException.class).isThrownBy(waiting::join)
			.withCauseInstanceOf(LockNotAcquiredException.class)
			.withMessageContaining("was lost in the first of two registries");
		assertLocked(false, false);
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

	@Test
	void anInterruptDuringTheWaitForTheSecondReleasesTheFirst() throws Exception {
		try (HeldLock rival = this.secondRival.acquire(REQUEST)) {
			CountDownLatch interrupted = new CountDownLatch(1);
			Thread waiter = new Thread(() -> {
				try {
					this.both.acquire(REQUEST);
				}
				catch (LockNotAcquiredException ex) {
					if (ex.getCause() instanceof InterruptedException && Thread.currentThread().isInterrupted()) {
						interrupted.countDown();
					}
				}
			});
			waiter.start();
			await().until(() -> this.secondEvents.waiting.get() == 1);
			waiter.interrupt();
			assertThat(interrupted.await(10, TimeUnit.SECONDS)).isTrue();
			await().until(() -> !firstServer.isLocked("order-1"));
			assertThat(rival.isHeld()).isTrue();
		}
	}

	private static CompositeLockRegistry composite(LockRegistry first, LockRegistry second, TimeSource clock) {
		return new CompositeLockRegistry(first, second, Duration.ofSeconds(5), clock);
	}

	@Test
	void viewsAreInterchangeableAndReentrantAndOwnedByTheirThread() throws Exception {
		this.lock.lock();
		assertThat(this.lock.tryLock()).isTrue();
		assertThat(this.both.obtain(KEY).tryLock(1, TimeUnit.SECONDS)).isTrue();
		assertLocked(true, true);
		Future<Boolean> other = this.threads.submit(() -> this.lock.tryLock());
		assertThat(other.get(10, TimeUnit.SECONDS)).isFalse();
		this.threads
			.submit(() -> assertThatExceptionOfType(IllegalMonitorStateException.class).isThrownBy(this.lock::unlock))
			.get(10, TimeUnit.SECONDS);
		this.lock.unlock();
		this.both.obtain(KEY).unlock();
		assertLocked(true, true);
		this.lock.unlock();
		assertLocked(false, false);
		assertThatExceptionOfType(IllegalMonitorStateException.class).isThrownBy(this.lock::unlock);
		assertThatExceptionOfType(UnsupportedOperationException.class).isThrownBy(this.lock::newCondition);
	}

	@Test
	void aViewReleasesTheFirstIfTheSecondIsNotAcquired() throws Exception {
		Lock rival = this.secondRival.obtain(KEY);
		rival.lock();
		assertThat(this.lock.tryLock()).isFalse();
		assertLocked(false, true);
		assertThat(this.lock.tryLock(50, TimeUnit.MILLISECONDS)).isFalse();
		assertLocked(false, true);
		rival.unlock();
		assertThat(this.lock.tryLock(20, TimeUnit.SECONDS)).isTrue();
		this.lock.unlock();
	}

	@Test
	void aFailureOfTheSecondInAViewReleasesTheFirst() {
		this.second.shutdown();
		assertThatExceptionOfType(LockBackendException.class).isThrownBy(this.lock::lock);
		assertLocked(false, false);
		assertThatExceptionOfType(LockBackendException.class).isThrownBy(this.lock::tryLock);
		assertLocked(false, false);
		assertThatExceptionOfType(IllegalMonitorStateException.class).isThrownBy(this.lock::unlock);
	}

	@Test
	void anInterruptOfAViewDuringTheWaitForTheSecondReleasesTheFirst() throws Exception {
		Lock rival = this.secondRival.obtain(KEY);
		rival.lock();
		for (int i = 0; i < 2; i++) {
			boolean timed = i == 0;
			Thread[] thread = new Thread[1];
			Future<?> waiter = this.threads.submit(() -> {
				thread[0] = Thread.currentThread();
				if (timed) {
					return this.lock.tryLock(20, TimeUnit.SECONDS);
				}
				this.lock.lockInterruptibly();
				return true;
			});
			await().until(() -> this.secondEvents.waiting.get() == 1);
			thread[0].interrupt();
			assertThatExceptionOfType(ExecutionException.class).isThrownBy(() -> waiter.get(10, TimeUnit.SECONDS))
				.withCauseInstanceOf(InterruptedException.class);
			assertLocked(false, true);
		}
		rival.unlock();
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

}
