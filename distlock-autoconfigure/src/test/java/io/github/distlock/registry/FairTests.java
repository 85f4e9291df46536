package io.github.distlock.registry;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import io.github.distlock.HandOff;
import io.github.distlock.HeldLock;
import io.github.distlock.LockListener;
import io.github.distlock.LockRequest;
import io.github.distlock.testing.RedisNodes;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Fair locks, which are granted in the order of arrival.
 */
class FairTests extends TwoRegistries {

	@Test
	void aHandOffCostsTwoScriptsAndOneMessageAndNeverStaysInTheJvm() throws Exception {
		BackendLockRegistry other = redis.node(this.events);
		AtomicInteger inside = new AtomicInteger();
		redis.resetStats();
		List<Future<?>> callers = new ArrayList<>();
		for (int i = 0; i < 8; i++) {
			BackendLockRegistry node = (i % 2 == 0) ? other : this.one;
			callers.add(this.threads.submit(() -> {
				for (int round = 0; round < 50; round++) {
					try (HeldLock lock = node.acquire(fair("cost"))) {
						assertThat(inside.incrementAndGet()).isEqualTo(1);
						assertThat(lock.isHeld()).isTrue();
						inside.decrementAndGet();
					}
				}
			}));
		}
		for (Future<?> caller : callers) {
			caller.get(60, TimeUnit.SECONDS);
		}
		assertThat(this.events.attempted).hasSize(400).noneMatch((event) -> event.handOff() == HandOff.LOCAL);
		assertThat(this.events.attempted).extracting(LockListener.Attempted::fencingToken).doesNotHaveDuplicates();
		assertThat(redis.calls("evalsha")).isLessThanOrEqualTo(800);
		assertThat(redis.calls("publish")).isLessThanOrEqualTo(400);
	}

	@Test
	void onlyOneOfSeveralCallersOfAJvmRetries() throws Exception {
		BackendLockRegistry brief = redis.node(RedisNodes.settings(Duration.ofSeconds(1)), List.of(this.events));
		HeldLock held = this.two.acquire(request("quiet"));
		List<CompletableFuture<HeldLock>> callers = new ArrayList<>();
		for (int i = 0; i < 8; i++) {
			callers.add(brief.acquireAsync(fair("quiet")));
		}
		await().until(() -> redis.queueLength("quiet") == 8);
		redis.resetStats();
		long start = System.nanoTime();
		await().pollDelay(Duration.ofSeconds(3)).until(() -> true);
		long commands = redis.calls("evalsha");
		// A lease of 1 s has a safety interval of at least 0.4 s.
		assertThat(commands).isBetween(2L, (System.nanoTime() - start) / Duration.ofMillis(400).toNanos() + 1);
		held.close();
		for (CompletableFuture<HeldLock> caller : callers) {
			caller.orTimeout(20, TimeUnit.SECONDS).join().close();
		}
		assertThat(brief.snapshot().isIdle()).isTrue();
	}

	@Test
	void aFairCallerThatTriesOnceSendsOneScript() {
		HeldLock held = this.two.acquire(fair("once"));
		redis.resetStats();
		assertThat(this.one.tryAcquire(fair("once").waitTime(Duration.ZERO))).isEmpty();
		assertThat(redis.calls("evalsha")).isEqualTo(1);
		assertThat(redis.queueLength("once")).isZero();
		held.close();
		await().until(() -> this.one.snapshot().isIdle() && this.two.snapshot().isIdle());
	}

	private static LockRequest fair(String key) {
		return request(key).fair(true);
	}

}
