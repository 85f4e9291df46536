package io.github.distlock.registry;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.LongSupplier;
import java.util.stream.IntStream;

import io.github.distlock.HeldLock;
import io.github.distlock.LockRequest;
import io.github.distlock.testing.LiveThreads;
import io.github.distlock.testing.RedisNodes;
import io.github.distlock.testing.TcpProxy;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Thousands of locks that one JVM holds for longer than their leases.
 */
class ManyLocksTests extends TwoRegistries {

	private static final int MANY = 10_000;

	private static final Duration LEASE = Duration.ofSeconds(12);

	private static final String KEY = "many-";

	@Test
	void tenThousandLocksAreRenewedInFullBatchesByTheSameFewThreads() {
		LongSupplier renewals = LiveThreads.countNew("distlock-renewal");
		LongSupplier timers = LiveThreads.countNew("distlock-timer");
		BackendLockRegistry node = redis.node(RedisNodes.settings(LEASE), List.of(this.events));
		List<HeldLock> held = hold(node, 1);
		await().atMost(Duration.ofSeconds(30)).until(() -> this.events.renewed.get() >= 3);
		long threadsForOne = renewals.getAsLong() + timers.getAsLong();
		release(held);

		held = hold(node, MANY);
		// After two rounds, leases that began at different moments share batches.
		awaitRenewals(2 * MANY);
		redis.resetStats();
		int before = this.events.renewed.get();
		awaitRenewals(4 * MANY);
		long scripts = redis.calls("evalsha");
		int renewed = this.events.renewed.get() - before;
		long threads = renewals.getAsLong() + timers.getAsLong();
		// A hundred leases per script, and a tenth more for rounds that a slow machine
		// splits.
		assertThat(scripts).isPositive().isLessThanOrEqualTo(renewed / 100 + renewed / 1000);
		assertThat(renewals.getAsLong()).isLessThanOrEqualTo(2);
		assertThat(threads).isLessThanOrEqualTo(threadsForOne + 1);
		assertThat(held).allMatch(HeldLock::isHeld);
		assertThat(redis.keys()).isEqualTo(MANY);
		release(held);
		assertThat(this.events.lost).isEmpty();
		await().until(() -> node.snapshot().isIdle());
		await().atMost(Duration.ofSeconds(30)).until(() -> redis.keys() == 0);
	}

	@Test
	void renewalsThatTimeOutAreRepeatedBeforeTheLeasesEnd() {
		BackendLockRegistry node = redis.nodeBehind(redis.server().port(), RedisNodes.settings(LEASE),
				List.of(this.events));
		List<HeldLock> held = hold(node, 1000);
		awaitRenewals(1000);
		// Longer than the renewal interval, shorter than the rest of the lease.
		redis.pause(Duration.ofMillis(6500));
		await().atMost(LEASE).untilAsserted(() -> assertThat(this.events.notRenewed).hasPositiveValue());
		awaitRenewals(2000);
		assertThat(this.events.latestMillis).hasValueGreaterThan(500);
		assertThat(held).allMatch(HeldLock::isHeld);
		release(held);
		assertThat(this.events.lost).isEmpty();
	}

	/** Renewals do not queue behind the attempts. */
	@Test
	@Tag("full")
	@EnabledIfSystemProperty(named = "distlock.full", matches = "true", disabledReason = "Set -Ddistlock.full=true")
	void tenThousandFuturesAtOnceGetTheirLocksAndKeepThem() {
		Duration lease = Duration.ofSeconds(20);
		BackendLockRegistry node = redis.node(RedisNodes.settings(lease), List.of(this.events));
		List<CompletableFuture<HeldLock>> futures = IntStream.range(0, MANY)
			.mapToObj((i) -> node.acquireAsync(LockRequest.of(KEY + i).waitTime(Duration.ofMinutes(2))))
			.toList();
		List<HeldLock> held = futures.stream().map(CompletableFuture::join).toList();
		await().during(lease).atMost(lease.multipliedBy(2)).until(() -> held.stream().allMatch(HeldLock::isHeld));
		assertThat(this.events.lost).isEmpty();
		CompletableFuture.allOf(held.stream().map(HeldLock::closeAsync).toArray(CompletableFuture[]::new)).join();
	}

	@Test
	@Tag("full")
	@EnabledIfSystemProperty(named = "distlock.full", matches = "true", disabledReason = "Set -Ddistlock.full=true")
	void aHundredThousandLocksAreRenewedBehindALongRoundTrip() {
		try (TcpProxy proxy = new TcpProxy(redis.server().port())) {
			BackendLockRegistry node = redis.nodeBehind(proxy.port(), RedisNodes.settings(Duration.ofSeconds(30)),
					List.of(this.events));
			List<HeldLock> held = hold(node, 10 * MANY);
			proxy.slow(Duration.ofMillis(10), Duration.ofMillis(10));
			// The second round: all leases are due together then.
			awaitRenewals(20 * MANY);
			awaitRenewals(20 * MANY);
			assertThat(this.events.lost).isEmpty();
			assertThat(held).allMatch(HeldLock::isHeld);
		}
	}

	private static List<HeldLock> hold(BackendLockRegistry node, int number) {
		List<HeldLock> held = new ArrayList<>(number);
		for (int i = 0; i < number; i++) {
			held.add(node.tryAcquire(LockRequest.of(KEY + i)).orElseThrow());
		}
		return held;
	}

	private static void release(List<HeldLock> held) {
		held.forEach(HeldLock::close);
	}

	private void awaitRenewals(int atLeast) {
		int start = this.events.renewed.get();
		await().atMost(Duration.ofMinutes(3)).until(() -> this.events.renewed.get() >= start + atLeast);
	}

}
