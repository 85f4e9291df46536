package io.github.distlock.registry;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.Lock;
import java.util.function.LongSupplier;

import io.github.distlock.HeldLock;
import io.github.distlock.LockContext;
import io.github.distlock.LockDefinitionException;
import io.github.distlock.LockListener;
import io.github.distlock.LockLostException;
import io.github.distlock.LockMode;
import io.github.distlock.LockNotAcquiredException;
import io.github.distlock.LockOutcome;
import io.github.distlock.LockRegistry;
import io.github.distlock.LockRequest;
import io.github.distlock.RunResult;
import io.github.distlock.backend.TimeSource;
import io.github.distlock.testing.LiveThreads;
import io.github.distlock.testing.RedisNodes;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import reactor.core.publisher.Mono;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;
import static org.mockito.Mockito.mock;

/**
 * Calls with an action, the contract of {@link Lock}, refused requests, waits, and how
 * many callers of a JVM may wait for a key.
 */
class LockingTests extends TwoRegistries {

	@Test
	@SuppressWarnings("NullAway")
	void aRequestOrAnActionThatIsNullIsNamedBeforeAnyLockIsTaken() {
		CompositeLockRegistry both = new CompositeLockRegistry(this.one, this.two, Duration.ZERO, TimeSource.SYSTEM);
		for (LockRegistry registry : List.of(this.one, both)) {
			for (ThrowingCallable call : List.<ThrowingCallable>of(() -> registry.acquire(null),
					() -> registry.tryAcquire(null), () -> registry.execute(null, () -> 1),
					() -> registry.tryRun(null, () -> 1), () -> registry.obtain(null))) {
				assertThatIllegalArgumentException().isThrownBy(call).withMessageContaining("is null: pass ");
			}
			for (ThrowingCallable call : List.<ThrowingCallable>of(() -> registry.execute(request("none"), null),
					() -> registry.tryRun(request("none"), null))) {
				assertThatIllegalArgumentException().isThrownBy(call).withMessageContaining("pass a Callable");
			}
		}
		assertThat(this.events.attempted).isEmpty();
	}

	@Test
	void executeRefusesAResultWhoseWorkContinuesWithoutTheLock() throws Exception {
		for (Object unfinished : List.of(new CompletableFuture<>(), Mono.just("later"))) {
			assertThatExceptionOfType(LockDefinitionException.class)
				.isThrownBy(() -> this.one.execute(request("execute"), () -> unfinished))
				.withMessageContaining("continues after the lock was released: use acquireAsync");
			assertThatExceptionOfType(LockDefinitionException.class)
				.isThrownBy(() -> this.one.tryRun(request("execute"), () -> unfinished));
		}
		CompletableFuture<String> done = CompletableFuture.completedFuture("done");
		assertThat(this.one.execute(request("execute"), () -> done)).isSameAs(done);
	}

	@Test
	void executeRunsUnderTheLockAndPropagatesItsExceptionUnchanged() throws Exception {
		String result = this.one.execute(request("execute"), () -> {
			assertThat(LockContext.current()).hasValueSatisfying((lock) -> assertThat(lock.key()).isEqualTo("execute"));
			assertThat(this.two.tryAcquire(LockRequest.of("execute").waitTime(Duration.ZERO))).isEmpty();
			return "done";
		});
		assertThat(result).isEqualTo("done");
		assertThat(LockContext.current()).isEmpty();
		assertThatIllegalStateException().isThrownBy(() -> this.one.execute(request("execute"), () -> {
			redis.flush();
			throw new IllegalStateException("mine");
		})).withMessage("mine").satisfies((ex) -> assertThat(ex.getSuppressed()).hasSize(1));
	}

	@Test
	void tryRunSaysWhetherItRanAndWithWhichResult() throws Exception {
		assertThat(this.one.tryRun(request("run"), () -> {
			assertThat(LockContext.current()).hasValueSatisfying((lock) -> assertThat(lock.key()).isEqualTo("run"));
			assertThat(this.two.tryAcquire(LockRequest.of("run").waitTime(Duration.ZERO))).isEmpty();
			return "done";
		})).isEqualTo(new RunResult.Ran<>("done"));
		assertThat(this.one.<@Nullable String>tryRun(request("run"), () -> null))
			.isEqualTo(new RunResult.Ran<@Nullable String>(null));
		assertThat(this.two.tryAcquire(LockRequest.of("run").waitTime(Duration.ZERO))).isPresent();
		assertThat(this.events.outcomes()).containsExactly("ACQUIRED", "ACQUIRED");
	}

	@Test
	void tryRunSaysWhyItDidNotRunAndIsReportedAsSkipped() throws Exception {
		HeldLock lock = this.two.acquire(request("taken"));
		AtomicBoolean ran = new AtomicBoolean();
		assertThat(this.one.tryRun(LockRequest.of("taken").waitTime(Duration.ZERO), () -> ran.getAndSet(true)))
			.isInstanceOfSatisfying(RunResult.NotRun.class, (result) -> {
				assertThat(result.exception().reason()).isEqualTo(LockOutcome.TIMEOUT);
				assertThat(result.exception().holder()).isNotNull();
			});
		assertThat(ran).isFalse();
		assertThat(this.events.outcomes()).containsExactly("SKIPPED");
		lock.close();
	}

	@Test
	void tryRunThrowsWhatItsActionThrowsAlsoIfThatMissedAnotherLock() {
		HeldLock inner = this.two.acquire(request("inner"));
		assertThatExceptionOfType(LockNotAcquiredException.class)
			.isThrownBy(() -> this.one.tryRun(request("outer"),
					() -> this.one.acquire(LockRequest.of("inner").waitTime(Duration.ZERO))))
			.withMessageContaining("inner");
		assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> this.one.tryRun(request("outer"), () -> {
			redis.flush();
			return true;
		}));
		assertThatExceptionOfType(LockLostException.class).isThrownBy(inner::close);
	}

	@Test
	void tryRunIsInterruptible() {
		HeldLock lock = this.two.acquire(request("interrupted"));
		Thread.currentThread().interrupt();
		assertThatExceptionOfType(LockNotAcquiredException.class)
			.isThrownBy(() -> this.one.tryRun(request("interrupted"), () -> true))
			.satisfies((thrown) -> assertThat(thrown.reason()).isEqualTo(LockOutcome.INTERRUPTED));
		assertThat(Thread.interrupted()).isTrue();
		lock.close();
	}

	@Test
	void aLeaseIsNeitherTooShortNorTooLong() {
		assertThatExceptionOfType(LockDefinitionException.class)
			.isThrownBy(() -> LockRequest.of("short").leaseTime(Duration.ofMillis(99)))
			.withMessageContaining("100ms");
		assertThatExceptionOfType(LockDefinitionException.class)
			.isThrownBy(() -> LockRequest.of("long").leaseTime(Duration.ofSeconds(Long.MAX_VALUE)))
			.withMessageContaining("365 days");
		try (HeldLock lock = this.one.acquire(request("year").leaseTime(LockRequest.MAXIMUM_LEASE))) {
			assertThat(lock.remaining()).isBetween(Duration.ofDays(360), Duration.ofDays(365));
		}
	}

	@Test
	void aListenerThatThrowsAffectsNeitherLocksNorOtherListeners() {
		BackendLockRegistry registry = redis.node(RedisNodes.settings(Duration.ofSeconds(30)),
				List.of(mock(LockListener.class, (event) -> {
					throw new IllegalStateException("listener");
				}), this.events));
		registry.acquire(request("listener")).close();
		assertThat(this.events.outcomes()).containsExactly("ACQUIRED");
		assertThat(this.events.released).containsExactly("listener");
	}

	@Test
	void unlockAfterALostLeaseThrowsLockLostException() {
		BackendLockRegistry brief = redis.node(RedisNodes.settings(Duration.ofSeconds(6)), List.of(this.events));
		Lock lock = brief.obtain("lost-view");
		lock.lock();
		lock.lock();
		redis.flush();
		await().atMost(Duration.ofMinutes(1)).until(() -> this.events.lost.size() == 1);
		assertThatThrownBy(lock::lock).isInstanceOf(LockLostException.class);
		assertThatThrownBy(lock::unlock).isInstanceOf(LockLostException.class);
		assertThatThrownBy(lock::unlock).isInstanceOf(LockLostException.class);
		assertThatThrownBy(lock::unlock).isInstanceOf(IllegalMonitorStateException.class);
		assertThat(lock.tryLock()).isTrue();
		lock.unlock();
	}

	@Test
	void locksThatAnotherThreadClosesDoNotPileUp() throws Exception {
		List<HeldLock> held = new ArrayList<>();
		for (int i = 0; i < 100; i++) {
			held.add(this.one.acquire(request("key-" + i)));
		}
		assertThat(this.one.snapshot().heldByThisThread()).isEqualTo(100);
		Thread other = new Thread(() -> held.forEach(HeldLock::close));
		other.start();
		other.join();
		for (int i = 0; i < 100; i++) {
			this.one.acquire(request("next-" + i)).close();
			held.add(this.one.acquire(request("open-" + i)));
		}
		assertThat(this.one.snapshot().heldByThisThread()).isEqualTo(100);
		held.subList(100, 200).forEach(HeldLock::close);
		assertThat(this.one.snapshot().heldByThisThread()).isZero();
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
	void aCallerThatGetsAFreeLockAtOnceDoesNotWait() {
		AtomicInteger waits = new AtomicInteger();
		BackendLockRegistry node = redis.node(new LockListener() {

			@Override
			public void onWaiting(Waiting event) {
				waits.incrementAndGet();
			}

		});
		for (LockRequest request : List.of(request("free"), request("free").fair(true),
				request("free").mode(LockMode.READ))) {
			node.acquireAsync(request).join().close();
			node.tryAcquireAsync(request).join().orElseThrow().close();
			node.acquire(request).close();
		}
		assertThat(waits).hasValue(0);
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
		List<CompletableFuture<Void>> done = waiters.stream()
			.map((waiter) -> waiter.thenAccept(HeldLock::close))
			.toList();
		held.close();
		for (CompletableFuture<Void> each : done) {
			each.get(60, TimeUnit.SECONDS);
		}
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

	private static LockNotAcquiredException refusal(Runnable call) {
		return catchThrowableOfType(LockNotAcquiredException.class, call::run);
	}

	@Test
	void theNextCallerIsRefusedAtOnceInEachWayToCall() throws Exception {
		BackendLockRegistry node = redis.node(this.events);
		LockRequest request = request("hot").name("shop").maxWaiting(1);
		HeldLock held = this.two.acquire(request("hot"));
		Future<?> waiting = this.threads.submit(() -> node.acquire(request).close());
		await().until(() -> this.events.waiting.get() == 1);
		AtomicInteger runs = new AtomicInteger();
		assertThat(refusal(() -> node.acquire(request)).reason()).isEqualTo(LockOutcome.TOO_MANY_WAITING);
		assertThatExceptionOfType(LockNotAcquiredException.class)
			.isThrownBy(() -> node.execute(request, runs::incrementAndGet));
		assertThat(node.tryAcquire(request)).isEmpty();
		assertThat(node.tryAcquireAsync(request).get(10, TimeUnit.SECONDS)).isEmpty();
		assertThatExceptionOfType(ExecutionException.class)
			.isThrownBy(() -> node.acquireAsync(request).get(10, TimeUnit.SECONDS))
			.withCauseInstanceOf(LockNotAcquiredException.class)
			.satisfies((ex) -> assertThat(((LockNotAcquiredException) ex.getCause()).reason())
				.isEqualTo(LockOutcome.TOO_MANY_WAITING));
		assertThat(runs).hasValue(0);
		assertThat(this.events.outcomes()).hasSize(5).containsOnly("TOO_MANY_WAITING");
		assertThat(this.events.waiting).as("callers that wait").hasValue(1);
		assertThat(waiting.isDone()).isFalse();
		held.close();
		waiting.get(20, TimeUnit.SECONDS);
		node.acquire(request).close();
	}

	@Test
	void theExceptionSaysWhyAndWhatToDo() {
		BackendLockRegistry node = redis.node(this.events);
		HeldLock held = this.two.acquire(request("hot"));
		node.acquireAsync(request("hot"));
		await().until(() -> this.events.waiting.get() == 1);
		assertThat(refusal(() -> node.acquire(request("hot").name("shop").maxWaiting(1))))
			.hasMessageStartingWith(
					"Lock 'hot' (shop) was not acquired, because 1 or more callers of this JVM wait for it: ")
			.hasMessageEndingWith(
					". Try again later, let more callers wait (maxWaiting, distlock.max-waiting), or hold it "
							+ "for a shorter time")
			.hasMessageNotContaining("holder is not known")
			.returns("shop", LockNotAcquiredException::lockName)
			.satisfies((ex) -> assertThat(ex.holder()).isNotNull());
		assertThat(held.isHeld()).isTrue();
	}

	@ParameterizedTest
	@EnumSource
	void ofManyCallersThatComeAtOnceExactlySoManyWait(Kind kind) throws Exception {
		BackendLockRegistry node = redis.node(this.events);
		HeldLock held = this.two.acquire(kind.request(request("hot")).mode(kind.holder));
		AtomicInteger entered = new AtomicInteger();
		AtomicInteger refused = new AtomicInteger();
		List<Future<?>> callers = new ArrayList<>();
		for (int i = 0; i < 60; i++) {
			boolean asynchronous = i % 3 == 0;
			callers.add(this.threads.submit(() -> {
				LockRequest request = kind.request(request("hot")).maxWaiting(7);
				try (HeldLock lock = asynchronous ? node.acquireAsync(request).get() : node.acquire(request)) {
					entered.incrementAndGet();
					assertThat(lock.isHeld()).isTrue();
				}
				catch (LockNotAcquiredException ex) {
					assertThat(ex.reason()).isEqualTo(LockOutcome.TOO_MANY_WAITING);
					refused.incrementAndGet();
				}
				catch (ExecutionException ex) {
					assertThat(ex).cause()
						.isInstanceOfSatisfying(LockNotAcquiredException.class,
								(cause) -> assertThat(cause.reason()).isEqualTo(LockOutcome.TOO_MANY_WAITING));
					refused.incrementAndGet();
				}
				return null;
			}));
		}
		await().until(() -> refused.get() == 53 && node.snapshot().waiting().size() == 7);
		assertThat(entered).hasValue(0);
		await("until the tickets of the others have left")
			.until(() -> redis.queueLength("hot") == (kind.ownTicket ? 7 : 1));
		held.close();
		for (Future<?> caller : callers) {
			caller.get(20, TimeUnit.SECONDS);
		}
		assertThat(entered).hasValue(7);
		await().until(() -> node.snapshot().isIdle());
	}

	/** The kinds of callers. */
	enum Kind {

		PLAIN(false, LockMode.EXCLUSIVE), FAIR(true, LockMode.EXCLUSIVE), READ(true, LockMode.WRITE),
		WRITE(false, LockMode.READ);

		final boolean ownTicket;

		/** A mode that keeps these callers out. */
		final LockMode holder;

		Kind(boolean ownTicket, LockMode holder) {
			this.ownTicket = ownTicket;
			this.holder = holder;
		}

		LockRequest request(LockRequest request) {
			return switch (this) {
				case PLAIN -> request;
				case FAIR -> request.fair(true);
				case READ -> request.mode(LockMode.READ);
				case WRITE -> request.mode(LockMode.WRITE);
			};
		}

	}

}
