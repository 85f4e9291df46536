package io.github.distlock.registry;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongSupplier;

import io.github.distlock.HeldLock;
import io.github.distlock.LockBackendException;
import io.github.distlock.LockListener;
import io.github.distlock.LockMode;
import io.github.distlock.LockNotAcquiredException;
import io.github.distlock.LockRequest;
import io.github.distlock.testing.LiveThreads;
import io.github.distlock.testing.RedisNodes;
import io.github.distlock.testing.TestSettings;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * How a wait ends.
 */
class WaitingTests extends TwoRegistries {

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

	@Test
	void aFutureThatHasToWaitIsReportedOnce() throws Exception {
		AtomicInteger waits = new AtomicInteger();
		BackendLockRegistry node = redis.node(counting(waits));
		List<CompletableFuture<HeldLock>> waiters = new ArrayList<>();
		try (HeldLock lock = this.two.acquire(request("taken"))) {
			waiters.add(node.acquireAsync(request("taken")));
			await().until(() -> waits.get() == 1);
			// Behind the first one, which waits: no attempt of its own.
			waiters.add(node.acquireAsync(request("taken")));
			await().until(() -> waits.get() == 2);
			waiters.add(node.acquireAsync(request("taken").fair(true)));
			await().until(() -> waits.get() == 3);
			assertThat(node.tryAcquireAsync(request("taken").waitTime(Duration.ZERO)).get(10, TimeUnit.SECONDS))
				.isEmpty();
			assertThat(lock.isHeld()).isTrue();
		}
		for (CompletableFuture<HeldLock> waiter : waiters) {
			waiter.thenAccept(HeldLock::close);
		}
		CompletableFuture.allOf(waiters.toArray(CompletableFuture[]::new)).get(20, TimeUnit.SECONDS);
		assertThat(waits).hasValue(3);
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
	void anInterruptEndsTheWaitAndKeepsTheFlag() throws Exception {
		AtomicBoolean flag = new AtomicBoolean();
		try (HeldLock lock = this.two.acquire(request("interrupt"))) {
			CompletableFuture<Throwable> failure = new CompletableFuture<>();
			Thread waiter = new Thread(() -> {
				try {
					this.one.acquire(request("interrupt"));
					failure.complete(null);
				}
				catch (LockNotAcquiredException ex) {
					flag.set(Thread.currentThread().isInterrupted());
					failure.complete(ex);
				}
			});
			waiter.start();
			await().until(() -> this.events.waiting.get() == 1);
			waiter.interrupt();
			assertThat(failure.get(10, TimeUnit.SECONDS)).hasCauseInstanceOf(InterruptedException.class);
			assertThat(flag).isTrue();
			assertThat(this.events.outcomes()).containsExactly("INTERRUPTED");
			assertThat(lock.isHeld()).isTrue();
		}
		this.two.acquire(request("interrupt")).close();
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

	@Test
	void anAsynchronousWaitTimesOutAndCanBeCancelled() throws Exception {
		HeldLock held = this.two.acquire(request("async-late"));
		CompletableFuture<HeldLock> late = this.one
			.acquireAsync(LockRequest.of("async-late").waitTime(Duration.ofMillis(100)));
		assertThatExceptionOfType(ExecutionException.class).isThrownBy(() -> late.get(10, TimeUnit.SECONDS))
			.withCauseInstanceOf(LockNotAcquiredException.class);
		CompletableFuture<HeldLock> once = this.one.acquireAsync(LockRequest.of("async-late").waitTime(Duration.ZERO));
		assertThatExceptionOfType(ExecutionException.class).isThrownBy(() -> once.get(10, TimeUnit.SECONDS))
			.withCauseInstanceOf(LockNotAcquiredException.class);
		assertThat(this.one.tryAcquireAsync(LockRequest.of("async-late").waitTime(Duration.ZERO))
			.get(10, TimeUnit.SECONDS)).isEmpty();
		CompletableFuture<HeldLock> cancelled = this.one.acquireAsync(request("async-late"));
		cancelled.cancel(false);
		held.close();
		this.one.tryAcquireAsync(request("async-late")).get(10, TimeUnit.SECONDS).orElseThrow().close();
		assertThat(this.events.outcomes()).containsExactly("TIMEOUT", "TIMEOUT", "SKIPPED", "INTERRUPTED", "ACQUIRED");
	}

	@Test
	void shutdownWaitsForHoldersAndFailsWaiters() throws Exception {
		RegistrySettings settings = RedisNodes.settings(Duration.ofSeconds(30));
		BackendLockRegistry node = redis.node(TestSettings.of(settings.waitTime(), settings.leaseTime(), null,
				settings.handOff(), settings.backendTimeout(), false, Duration.ofSeconds(5)), List.of(this.events));
		HeldLock held = node.acquire(request("shutdown"));
		Future<?> waiter = this.threads.submit(() -> node.acquire(request("shutdown")));
		await().until(() -> this.events.waiting.get() == 1);
		Future<?> shutdown = this.threads.submit(node::shutdown);
		assertThatExceptionOfType(ExecutionException.class).isThrownBy(() -> waiter.get(10, TimeUnit.SECONDS))
			.withCauseInstanceOf(LockBackendException.class)
			.withMessageContaining("shutting down");
		assertThat(held.isHeld()).isTrue();
		assertThat(shutdown.isDone()).isFalse();
		held.close();
		shutdown.get(10, TimeUnit.SECONDS);
		assertThatExceptionOfType(LockBackendException.class).isThrownBy(() -> node.acquire(request("shutdown")));
		assertThat(this.two.tryAcquire(LockRequest.of("shutdown").waitTime(Duration.ZERO)))
			.hasValueSatisfying(HeldLock::close);
		node.start();
		node.acquire(request("shutdown")).close();
	}

}
