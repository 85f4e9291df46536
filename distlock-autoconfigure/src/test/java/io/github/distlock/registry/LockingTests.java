package io.github.distlock.registry;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

import io.github.distlock.HeldLock;
import io.github.distlock.LockContext;
import io.github.distlock.LockDefinitionException;
import io.github.distlock.LockListener;
import io.github.distlock.LockRequest;
import io.github.distlock.testing.RedisNodes;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/**
 * Mutual exclusion, re-entry, and refused requests.
 */
class LockingTests extends TwoRegistries {

	@Test
	void threadsOfTwoRegistriesExcludeEachOther() throws Exception {
		AtomicInteger inside = new AtomicInteger();
		AtomicInteger overlaps = new AtomicInteger();
		AtomicLong lastToken = new AtomicLong();
		AtomicInteger tokensOutOfOrder = new AtomicInteger();
		List<Future<?>> workers = new ArrayList<>();
		int[] counter = new int[1];
		for (int i = 0; i < 8; i++) {
			BackendLockRegistry registry = (i % 2 == 0) ? this.one : this.two;
			workers.add(this.threads.submit(() -> {
				for (int n = 0; n < 100; n++) {
					try (HeldLock lock = registry.acquire(request("counter"))) {
						if (inside.incrementAndGet() > 1) {
							overlaps.incrementAndGet();
						}
						if (lastToken.getAndSet(lock.fencingToken()) >= lock.fencingToken()) {
							tokensOutOfOrder.incrementAndGet();
						}
						counter[0]++;
						inside.decrementAndGet();
					}
				}
			}));
		}
		for (Future<?> worker : workers) {
			worker.get(60, TimeUnit.SECONDS);
		}
		assertThat(overlaps).hasValue(0);
		assertThat(tokensOutOfOrder).hasValue(0);
		assertThat(counter[0]).isEqualTo(800);
	}

	@Test
	void aThreadReentersWithoutACommand() {
		try (HeldLock outer = this.one.acquire(request("again"))) {
			redis.resetStats();
			try (HeldLock inner = this.one.acquire(request("again"))) {
				assertThat(inner.fencingToken()).isEqualTo(outer.fencingToken());
				assertThat(this.one.tryAcquire(request("again").waitTime(Duration.ZERO)))
					.hasValueSatisfying(HeldLock::close);
			}
			assertThat(redis.calls("evalsha")).isZero();
			assertThat(outer.isHeld()).isTrue();
			assertThat(this.two.tryAcquire(LockRequest.of("again").waitTime(Duration.ZERO))).isEmpty();
		}
		assertThat(this.two.tryAcquire(LockRequest.of("again").waitTime(Duration.ZERO)))
			.hasValueSatisfying(HeldLock::close);
	}

	@Test
	void anUncontendedCycleIsTwoScriptsAndNothingElse() {
		this.one.acquire(request("warm")).close();
		redis.resetStats();
		for (int i = 0; i < 50; i++) {
			this.one.acquire(request("cycle")).close();
		}
		assertThat(redis.calls("evalsha")).isEqualTo(100);
		assertThat(redis.calls("publish")).isZero();
		assertThat(redis.calls("eval")).isZero();
		assertThat(redis.calls("ping") + redis.calls("del") + redis.calls("pexpire")).isZero();
	}

	@Test
	void anotherThreadOfTheSameRegistryDoesNotReenter() throws Exception {
		try (HeldLock lock = this.one.acquire(request("mine"))) {
			Future<Boolean> other = this.threads
				.submit(() -> this.one.tryAcquire(LockRequest.of("mine").waitTime(Duration.ofMillis(50))).isPresent());
			assertThat(other.get(10, TimeUnit.SECONDS)).isFalse();
			assertThat(lock.isHeld()).isTrue();
		}
	}

	@Test
	void closingTwiceThrowsAndChangesNothing() {
		HeldLock lock = this.one.acquire(request("twice"));
		lock.close();
		try (HeldLock next = this.two.acquire(request("twice"))) {
			assertThatThrownBy(lock::close).isInstanceOf(IllegalMonitorStateException.class)
				.hasMessageContaining("'twice'");
			assertThat(next.isHeld()).isTrue();
			assertThat(this.one.tryAcquire(LockRequest.of("twice").waitTime(Duration.ZERO))).isEmpty();
		}
	}

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
	void unusualKeysAreSeparateLocks() {
		List<HeldLock> locks = new ArrayList<>();
		for (String key : List.of("{x}", "}x", "{}", "a:queue", "a", "new line",
				"\u9396-\u0437\u0430\u043c\u043e\u043a", "%7Bx%7D", "x".repeat(512))) {
			locks.add(this.one.acquire(LockRequest.of(key).waitTime(Duration.ZERO)));
			assertThat(this.two.tryAcquire(LockRequest.of(key).waitTime(Duration.ZERO))).as(key).isEmpty();
		}
		locks.forEach(HeldLock::close);
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

}
