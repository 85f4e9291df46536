package io.github.distlock.registry;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.Lock;

import io.github.distlock.HeldLock;
import io.github.distlock.LockContext;
import io.github.distlock.LockDefinitionException;
import io.github.distlock.LockListener;
import io.github.distlock.LockLostException;
import io.github.distlock.LockNotAcquiredException;
import io.github.distlock.LockOutcome;
import io.github.distlock.LockRequest;
import io.github.distlock.RunResult;
import io.github.distlock.testing.RedisNodes;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

/**
 * Mutual exclusion, re-entry, the contract of {@link Lock}, and refused requests.
 */
class LockingTests extends TwoRegistries {

	@Test
	void aLockClosedByAnotherThreadCanBeAcquiredAgainByTheFirst() throws Exception {
		CompletableFuture<HeldLock> handed = new CompletableFuture<>();
		CompletableFuture<Boolean> closed = new CompletableFuture<>();
		Future<Boolean> first = this.threads.submit(() -> {
			handed.complete(this.one.acquire(request("handed")));
			closed.get(10, TimeUnit.SECONDS);
			try (HeldLock again = this.one.acquire(request("handed"))) {
				return again.isHeld();
			}
		});
		handed.get(10, TimeUnit.SECONDS).close();
		try (HeldLock between = this.two.acquire(request("handed"))) {
			assertThat(between.isHeld()).isTrue();
		}
		closed.complete(true);
		assertThat(first.get(10, TimeUnit.SECONDS)).isTrue();
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
	void invalidKeysAreRefusedBeforeAnythingIsSent() {
		redis.resetStats();
		for (String key : List.of("", "  ", "\n\t", "new\nline", "x".repeat(10_240), "\u00e4".repeat(257),
				"half \ud83d pair")) {
			assertThatExceptionOfType(LockDefinitionException.class).as(key)
				.isThrownBy(() -> this.one.acquire(request(key)));
			assertThatExceptionOfType(LockDefinitionException.class).isThrownBy(() -> this.one.obtain(key));
		}
		assertThat(redis.calls("evalsha")).isZero();
		assertThatExceptionOfType(LockDefinitionException.class)
			.isThrownBy(() -> LockRequest.of("short").leaseTime(Duration.ofMillis(99)))
			.withMessageContaining("100ms");
		assertThatExceptionOfType(LockDefinitionException.class)
			.isThrownBy(() -> LockRequest.of("long").leaseTime(Duration.ofSeconds(Long.MAX_VALUE)))
			.withMessageContaining("365 days");
	}

	@Test
	void theLongestLeaseIsALeaseLikeAnyOther() {
		try (HeldLock lock = this.one.acquire(request("year").leaseTime(LockRequest.MAXIMUM_LEASE))) {
			assertThat(lock.remaining()).isBetween(Duration.ofDays(360), Duration.ofDays(365));
		}
	}

	@Test
	void aListenerThatThrowsAffectsNeitherLocksNorOtherListeners() {
		BackendLockRegistry registry = redis.node(RedisNodes.settings(Duration.ofSeconds(30)),
				List.of(new LockListener() {

					@Override
					public void onAttempted(Attempted event) {
						throw new IllegalStateException("listener");
					}

					@Override
					public void onReleased(Released event) {
						throw new IllegalStateException("listener");
					}

				}, this.events));
		registry.acquire(request("listener")).close();
		assertThat(this.events.outcomes()).containsExactly("ACQUIRED");
		assertThat(this.events.released).containsExactly("listener");
	}

	@Test
	void theLockViewKeepsTheContractOfLock() throws Exception {
		Lock lock = this.one.obtain("view");
		assertThatThrownBy(lock::unlock).isInstanceOf(IllegalMonitorStateException.class);
		lock.lock();
		assertThat(lock.tryLock()).isTrue();
		assertThat(this.one.obtain("view").tryLock(1, TimeUnit.SECONDS)).isTrue();
		Future<Boolean> other = this.threads.submit(() -> lock.tryLock());
		assertThat(other.get(10, TimeUnit.SECONDS)).isFalse();
		Future<?> thief = this.threads
			.submit(() -> assertThatThrownBy(lock::unlock).isInstanceOf(IllegalMonitorStateException.class));
		thief.get(10, TimeUnit.SECONDS);
		lock.unlock();
		lock.unlock();
		assertThat(this.two.obtain("view").tryLock()).isFalse();
		lock.unlock();
		assertThat(this.two.obtain("view").tryLock(5, TimeUnit.SECONDS)).isTrue();
		this.two.obtain("view").unlock();
		assertThatThrownBy(lock::unlock).isInstanceOf(IllegalMonitorStateException.class);
		assertThatThrownBy(lock::newCondition).isInstanceOf(UnsupportedOperationException.class);
	}

	@Test
	void unlockAfterALostLeaseThrowsLockLostException() {
		BackendLockRegistry brief = redis.node(RedisNodes.settings(Duration.ofMillis(600)), List.of(this.events));
		Lock lock = brief.obtain("lost-view");
		lock.lock();
		lock.lock();
		redis.flush();
		await().atMost(Duration.ofSeconds(10)).until(() -> this.events.lost.size() == 1);
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

}
