package io.github.distlock.registry;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.stream.IntStream;

import io.github.distlock.HandOff;
import io.github.distlock.HeldLock;
import io.github.distlock.LockRequest;
import io.github.distlock.engine.HandOffLimits;
import io.github.distlock.testing.LiveThreads;
import io.github.distlock.testing.RedisNodes;
import io.github.distlock.testing.TcpProxy;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * The cost of locks, measured by the counters of the server; and thousands of locks that
 * one JVM holds for longer than their leases.
 */
class CostTests extends TwoRegistries {

	private static final int MANY = 10_000;

	private static final Duration LEASE = Duration.ofSeconds(12);

	private static final String KEY = "many-";

	@ParameterizedTest
	@ValueSource(booleans = { false, true })
	void aRemoteHandOffCostsAtMostTwoScriptsAndOneMessage(boolean fair) throws Exception {
		List<BackendLockRegistry> nodes = new ArrayList<>();
		for (int i = 0; i < 8; i++) {
			nodes.add(redis.node(this.events));
		}
		HeldLock first = this.two.acquire(request("hot"));
		List<Future<?>> workers = new ArrayList<>();
		for (BackendLockRegistry node : nodes) {
			workers.add(this.threads.submit(() -> {
				for (int n = 0; n < 60; n++) {
					node.acquire(request("hot").fair(fair)).close();
				}
			}));
		}
		await().until(() -> redis.queueLength("hot") == 8);
		redis.resetStats();
		first.close();
		for (Future<?> worker : workers) {
			worker.get(60, TimeUnit.SECONDS);
		}
		long acquisitions = this.events.attempted.size();
		long handOffs = this.events.attempted.stream().filter((event) -> event.handOff() == HandOff.REMOTE).count();
		assertThat(acquisitions).isEqualTo(480);
		assertThat(handOffs).isGreaterThan(100);
		assertThat(redis.calls("evalsha")).isLessThanOrEqualTo(2 * acquisitions);
		assertThat(redis.calls("publish")).isLessThanOrEqualTo(handOffs);
	}

	@Test
	void aHandOffInsideAJvmCostsNothing() throws Exception {
		BackendLockRegistry node = redis.node(
				RedisNodes.settings(Duration.ofSeconds(30), new HandOffLimits(1, Duration.ofMinutes(1))),
				List.of(this.events));
		HeldLock held = node.acquire(request("hot"));
		CompletableFuture<HeldLock> next = node.acquireAsync(request("hot"));
		await().until(() -> node.snapshot().waiting().size() == 1);
		redis.resetStats();
		held.close();
		HeldLock handedOn = next.get(60, TimeUnit.SECONDS);
		assertThat(handedOn.fencingToken()).isEqualTo(held.fencingToken() + 1);
		assertThat(redis.calls("evalsha") + redis.calls("publish")).isZero();
		await().until(() -> this.events.attempted.stream().anyMatch((event) -> event.handOff() == HandOff.LOCAL));
		handedOn.close();
	}

	@Test
	void anUncontendedCycleIsTwoCommandsOfFourHundredBytes() {
		this.two.acquire(LockRequest.of("key-1")).close();
		redis.resetStats();
		long before = redis.networkBytes();
		for (int n = 0; n < 200; n++) {
			this.two.acquire(LockRequest.of("key-1")).close();
		}
		long bytes = redis.networkBytes() - before;
		assertThat(redis.calls("evalsha")).isEqualTo(400);
		assertThat(redis.calls("get") + redis.calls("psetex") + redis.calls("time")).isEqualTo(1000);
		assertThat(redis.calls("zrange") + redis.calls("zadd") + redis.calls("publish") + redis.calls("eval")).isZero();
		// Each command has the name of the instance once. Includes the cost of reading
		// the statistics, a few kilobytes.
		int names = 2 * this.two.snapshot().instance().text().length();
		assertThat(bytes / 200 - names).isBetween(200L, 380L);
	}

	@Test
	void tenThousandLocksAreRenewedInFullBatchesByTheSameFewThreads() {
		LongSupplier renewals = LiveThreads.countNew("distlock-renewal");
		LongSupplier timers = LiveThreads.countNew("distlock-timer");
		BackendLockRegistry node = redis.node(RedisNodes.settings(LEASE), List.of(this.events));
		List<HeldLock> held = hold(node, 1);
		awaitRenewals(1);
		long threadsForOne = renewals.getAsLong() + timers.getAsLong();
		held.forEach(HeldLock::close);

		held = hold(node, MANY);
		// After two rounds, leases that began at different moments share batches.
		awaitRenewals(2 * MANY);
		redis.resetStats();
		int before = this.events.renewed.get();
		awaitRenewals(2 * MANY);
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
		held.forEach(HeldLock::close);
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
		redis.server().process().ask("CLIENT", "PAUSE", "6500");
		await().atMost(LEASE).untilAsserted(() -> assertThat(this.events.notRenewed).hasPositiveValue());
		awaitRenewals(2000);
		assertThat(this.events.latestMillis).hasValueGreaterThan(500);
		assertThat(held).allMatch(HeldLock::isHeld);
		held.forEach(HeldLock::close);
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

	private void awaitRenewals(int atLeast) {
		int start = this.events.renewed.get();
		await().atMost(Duration.ofMinutes(3)).until(() -> this.events.renewed.get() >= start + atLeast);
	}

}
