package io.github.distlock.registry;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

import io.github.distlock.HandOff;
import io.github.distlock.HeldLock;
import io.github.distlock.LockRequest;
import io.github.distlock.testing.RedisNodes;
import io.github.distlock.testing.TcpProxy;
import io.github.distlock.testing.TestSettings;
import io.github.distlock.engine.HandOffLimits;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * The hand-off of a lock within a JVM.
 */
class HandOffTests extends TwoRegistries {

	private final Queue<String> entered = new ConcurrentLinkedQueue<>();

	private final Queue<Long> tokens = new ConcurrentLinkedQueue<>();

	@Test
	void insideAJvmMostHandOffsCostNothing() throws Exception {
		compete(this.one, "one", 16, 100).forEach(HandOffTests::join);
		long acquisitions = this.events.attempted.size();
		assertThat(acquisitions).isEqualTo(1600);
		assertThat(redis.calls("evalsha")).isLessThanOrEqualTo(acquisitions * 15 / 100);
		assertThat(redis.calls("publish")).isZero();
		assertThat(this.events.attempted.stream().filter((event) -> event.handOff() == HandOff.LOCAL).count())
			.isGreaterThan(acquisitions / 2);
		assertThat(List.copyOf(this.tokens)).isSorted().doesNotHaveDuplicates();
		assertThat(this.one.snapshot().isIdle()).isTrue();
	}

	@Test
	void withoutABudgetEveryHandOffGoesThroughTheStore() throws Exception {
		BackendLockRegistry off = node(TestSettings.NO_HAND_OFF);
		compete(off, "off", 4, 50).forEach(HandOffTests::join);
		assertThat(this.events.attempted).hasSize(200).noneMatch((event) -> event.handOff() == HandOff.LOCAL);
		assertThat(redis.calls("evalsha")).isGreaterThanOrEqualTo(200);
	}

	@Test
	void byDefaultAWaitingJvmIsOvertakenByNoMoreThanTheTokensOfAGrant() {
		List<String> order = enterInTurns(this.one, this.two, 2000);
		// By default a turn is longer than with a budget of 16.
		assertThat(longestTurn(order)).isBetween(18, 501);
	}

	@Test
	void jvmsWithUnequalRoundTripsEnterAboutEquallyOften() {
		try (TcpProxy proxy = new TcpProxy(redis.server().port())) {
			proxy.slow(Duration.ofMillis(1), Duration.ofMillis(1));
			BackendLockRegistry far = redis.nodeBehind(proxy.port(), RedisNodes.settings(Duration.ofSeconds(30)),
					List.of());
			List<String> order = enterInTurns(this.one, far, 4000);
			int both = Math.min(order.lastIndexOf("one"), order.lastIndexOf("two"));
			double one = Collections.frequency(order.subList(0, both), "one");
			double two = Collections.frequency(order.subList(0, both), "two");
			double jain = (one + two) * (one + two) / (2 * (one * one + two * two));
			assertThat(jain).as("%s against %s entries", one, two).isGreaterThan(0.8);
		}
	}

	/**
	 * Let the callers of two JVMs enter once each, and return the names of their JVMs in
	 * the order of entry. All callers wait before the first one releases: neither JVM
	 * ever has fewer waiters because its threads were not scheduled.
	 */
	private List<String> enterInTurns(BackendLockRegistry first, BackendLockRegistry second, int callers) {
		HeldLock initial = first.acquire(request("hot"));
		List<CompletableFuture<Void>> all = new ArrayList<>();
		for (int i = 0; i < callers; i++) {
			all.add(enterOnce(first, "one"));
			all.add(enterOnce(second, "two"));
		}
		await().until(() -> redis.queueLength("hot") == 1);
		initial.close();
		all.forEach((future) -> future.orTimeout(60, TimeUnit.SECONDS).join());
		assertThat(List.copyOf(this.tokens)).isSorted().doesNotHaveDuplicates().hasSize(2 * callers);
		return List.copyOf(this.entered);
	}

	private static int longestTurn(List<String> order) {
		return Math.max(longestTurn(order, "one"), longestTurn(order, "two"));
	}

	private static int longestTurn(List<String> order, String name) {
		return turns(order).stream()
			.filter((turn) -> turn.get(0).equals(name))
			.mapToInt(List::size)
			.max()
			.orElseThrow();
	}

	/**
	 * The turns while callers of both JVMs wait. When one JVM has finished, the other one
	 * no longer takes turns.
	 */
	private static List<List<String>> turns(List<String> order) {
		int both = Math.min(order.lastIndexOf("one"), order.lastIndexOf("two"));
		List<List<String>> turns = new ArrayList<>();
		int begin = 0;
		for (int i = 1; i <= both + 1; i++) {
			if (i > both || !order.get(i).equals(order.get(begin))) {
				turns.add(order.subList(begin, i));
				begin = i;
			}
		}
		return turns;
	}

	@Test
	void theNextHolderOfAHandOffHasALeaseOfItsOwn() throws Exception {
		BackendLockRegistry slow = node(new HandOffLimits(16, Duration.ofSeconds(1)));
		LockRequest brief = request("brief").leaseTime(Duration.ofSeconds(2));
		HeldLock first = slow.acquire(brief);
		Future<Duration> second = this.threads.submit(() -> {
			try (HeldLock lock = slow.acquire(brief)) {
				return lock.remaining();
			}
		});
		await().until(() -> first.remaining().compareTo(Duration.ofMillis(1500)) < 0);
		first.close();
		assertThat(second.get(10, TimeUnit.SECONDS)).isBetween(Duration.ofMillis(1900), Duration.ofSeconds(2));
		assertThat(this.events.attempted).anyMatch((event) -> event.handOff() == HandOff.LOCAL);
	}

	private CompletableFuture<Void> enterOnce(BackendLockRegistry registry, String name) {
		return registry.acquireAsync(request("hot")).thenAccept((lock) -> {
			this.tokens.add(lock.fencingToken());
			this.entered.add(name);
			lock.close();
		});
	}

	private BackendLockRegistry node(HandOffLimits limits) {
		return redis.node(TestSettings.of(Duration.ofSeconds(5), Duration.ofSeconds(30), null, limits,
				Duration.ofSeconds(10), false, Duration.ofSeconds(10)), List.of(this.events));
	}

	private List<Future<?>> compete(BackendLockRegistry registry, String name, int threads, int rounds) {
		redis.resetStats();
		List<Future<?>> workers = new ArrayList<>();
		for (int i = 0; i < threads; i++) {
			workers.add(this.threads.submit(() -> {
				for (int round = 0; round < rounds; round++) {
					try (HeldLock lock = registry.acquire(request("hot"))) {
						this.tokens.add(lock.fencingToken());
						this.entered.add(name);
					}
				}
			}));
		}
		return workers;
	}

	private static void join(Future<?> worker) {
		try {
			worker.get(60, TimeUnit.SECONDS);
		}
		catch (Exception ex) {
			throw new AssertionError(ex);
		}
	}

}
