package io.github.distlock.registry;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntFunction;
import java.util.function.LongSupplier;

import io.github.distlock.HeldLock;
import io.github.distlock.LockListener;
import io.github.distlock.LockMode;
import io.github.distlock.LockNotAcquiredException;
import io.github.distlock.LockRequest;
import io.github.distlock.testing.LiveThreads;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * How a wait ends.
 */
class WaitingTests extends TwoRegistries {

	private static final Log logger = LogFactory.getLog(WaitingTests.class);

	private static final int WAITERS = 200;

	private static final Duration WAIT = Duration.ofMillis(100);

	@Test
	void aWaitThatTakesTooLongEndsWithAnExceptionThatNamesTheLock() {
		try (HeldLock lock = this.two.acquire(request("busy"))) {
			assertThatExceptionOfType(LockNotAcquiredException.class)
				.isThrownBy(
						() -> this.one.acquire(LockRequest.of("busy").waitTime(Duration.ofMillis(200)).name("shop")))
				.withMessageContaining("'busy'")
				.withMessageContaining("shop")
				.withMessageContaining("PT0.2S");
			assertThat(this.one.tryAcquire(LockRequest.of("busy").waitTime(Duration.ofMillis(50)))).isEmpty();
			assertThat(this.events.outcomes()).containsExactly("TIMEOUT", "SKIPPED");
			assertThat(lock.isHeld()).isTrue();
		}
		// A waiter that gave up leaves nothing that could own the lock.
		this.one.acquire(request("busy")).close();
	}

	@Test
	void aCallerThatGetsAFreeLockAtOnceDoesNotWait() throws Exception {
		AtomicInteger waits = new AtomicInteger();
		BackendLockRegistry node = redis.node(counting(waits));
		for (LockRequest request : List.of(request("free"), request("free").fair(true),
				request("free").mode(LockMode.READ))) {
			for (int i = 0; i < 10; i++) {
				node.acquireAsync(request).get(10, TimeUnit.SECONDS).close();
				node.tryAcquireAsync(request).get(10, TimeUnit.SECONDS).orElseThrow().close();
				node.acquire(request).close();
			}
		}
		assertThat(waits).hasValue(0);
	}

	private static LockListener counting(AtomicInteger waits) {
		return new LockListener() {

			@Override
			public void onWaiting(Waiting event) {
				waits.incrementAndGet();
			}

		};
	}

	@Test
	void waitTimesBeyondTheRangeOfALongHaveNoLimit() throws Exception {
		HeldLock lock = this.two.acquire(request("endless"));
		Future<?> waiter = this.threads.submit(() -> this.one
			.acquire(LockRequest.of("endless").waitTime(Duration.ofSeconds(Long.MAX_VALUE, 999_999_999)))
			.close());
		Future<?> forever = this.threads
			.submit(() -> this.one.acquire(LockRequest.of("endless").waitTime(LockRequest.FOREVER)).close());
		await().until(() -> this.events.waiting.get() == 2);
		lock.close();
		waiter.get(10, TimeUnit.SECONDS);
		forever.get(10, TimeUnit.SECONDS);
	}

	@Test
	void anAsynchronousWaiterHoldsNoThread() throws Exception {
		LongSupplier commandThreads = LiveThreads.countNew("distlock-io");
		HeldLock held = this.two.acquire(request("async"));
		List<CompletableFuture<HeldLock>> waiters = new ArrayList<>();
		for (int i = 0; i < 200; i++) {
			waiters.add(this.one.acquireAsync(request("async")));
		}
		assertThat(commandThreads.getAsLong()).isLessThanOrEqualTo(8);
		AtomicInteger entered = new AtomicInteger();
		List<CompletableFuture<Void>> done = waiters.stream().map((waiter) -> waiter.thenAccept((lock) -> {
			entered.incrementAndGet();
			lock.close();
		})).toList();
		held.close();
		CompletableFuture.allOf(done.toArray(CompletableFuture[]::new)).get(60, TimeUnit.SECONDS);
		assertThat(entered).hasValue(200);
	}

	/** As {@code orTimeout} and {@code completeOnTimeout} do. */
	@Test
	void aFutureThatTheApplicationCompletesEndsItsWait() {
		HeldLock held = this.two.acquire(request("async-completed"));
		CompletableFuture<HeldLock> failed = this.one.acquireAsync(request("async-completed"));
		CompletableFuture<Optional<HeldLock>> empty = this.one.tryAcquireAsync(request("async-completed"));
		await().until(() -> this.events.waiting.get() == 2);
		failed.completeExceptionally(new TimeoutException());
		empty.complete(Optional.empty());
		await().until(() -> this.events.waiting.get() == 0 && this.one.snapshot().isIdle());
		assertThat(this.events.outcomes()).containsExactly("INTERRUPTED", "INTERRUPTED");
		held.close();
	}

	@Test
	void callersOfOneKeyDoNotGiveUpEarlyAndShareTheirCommands() throws Exception {
		HeldLock held = this.two.acquire(request("key"));
		long commands = commandsOf(this::giveUpOnThisThread, (number) -> "key");
		// One shared ticket in the store for all of them, or a few if some callers
		// arrived late.
		assertThat(commands).isBetween(2L, WAITERS / 4L);
		held.close();
		assertThat(this.events.outcomes()).hasSize(WAITERS).containsOnly("TIMEOUT");
	}

	@ParameterizedTest
	@ValueSource(booleans = { false, true })
	void callersOfAsManyKeysDoNotGiveUpEarlyAndSendTwoCommandsEach(boolean asynchronous) throws Exception {
		List<HeldLock> held = new ArrayList<>();
		for (int i = 0; i < WAITERS; i++) {
			held.add(this.two.acquire(request("key-" + i)));
		}
		GivingUp givingUp = asynchronous ? this::giveUpLater : this::giveUpOnThisThread;
		long commands = commandsOf(givingUp, (number) -> "key-" + number);
		// For callers on a thread, one more looks up what holds the locks, for all
		// messages.
		assertThat(commands).isBetween((long) WAITERS, 2L * WAITERS + (asynchronous ? 0 : 1));
		held.forEach(HeldLock::close);
		assertThat(this.events.outcomes()).hasSize(WAITERS).containsOnly("TIMEOUT");
	}

	private long commandsOf(GivingUp givingUp, IntFunction<String> keys) throws Exception {
		CountDownLatch go = new CountDownLatch(1);
		List<Future<Long>> waiters = new ArrayList<>();
		for (int i = 0; i < WAITERS; i++) {
			LockRequest request = LockRequest.of(keys.apply(i)).waitTime(WAIT);
			waiters.add(this.threads.submit(() -> {
				go.await();
				return givingUp.nanos(request);
			}));
		}
		redis.resetStats();
		go.countDown();
		long[] micros = new long[WAITERS];
		for (int i = 0; i < WAITERS; i++) {
			long waited = waiters.get(i).get(30, TimeUnit.SECONDS);
			assertThat(waited).isGreaterThanOrEqualTo(WAIT.toNanos());
			micros[i] = (waited - WAIT.toNanos()) / 1000;
		}
		await().until(() -> this.one.snapshot().isIdle());
		long commands = redis.calls("evalsha");
		Arrays.sort(micros);
		logger.info("MEASURE " + WAITERS + " callers gave up late by " + micros[WAITERS / 2] + " us (median), "
				+ micros[WAITERS * 99 / 100] + " us (99 %), " + micros[WAITERS - 1] + " us (most), with " + commands
				+ " commands");
		return commands;
	}

	private long giveUpOnThisThread(LockRequest request) {
		long start = System.nanoTime();
		assertThatExceptionOfType(LockNotAcquiredException.class).isThrownBy(() -> this.one.acquire(request));
		return System.nanoTime() - start;
	}

	private long giveUpLater(LockRequest request) throws Exception {
		long start = System.nanoTime();
		CompletableFuture<Long> end = this.one.acquireAsync(request)
			.handle((lock, failure) -> (failure instanceof LockNotAcquiredException) ? System.nanoTime() : 0);
		try {
			return end.get(30, TimeUnit.SECONDS) - start;
		}
		catch (ExecutionException ex) {
			throw new AssertionError(ex);
		}
	}

	/** Waits until the wait time has passed, and returns how long that took. */
	private interface GivingUp {

		long nanos(LockRequest request) throws Exception;

	}

}
