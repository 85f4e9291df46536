package io.github.distlock.registry;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import io.github.distlock.HandOff;
import io.github.distlock.HeldLock;
import io.github.distlock.LockRequest;
import io.github.distlock.testing.RedisNodes;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * The cost of locks, measured by the counters of the server.
 */
class CostTests extends TwoRegistries {

	@Test
	void aRemoteHandOffCostsAtMostTwoScriptsAndOneMessage() throws Exception {
		List<BackendLockRegistry> nodes = new ArrayList<>();
		for (int i = 0; i < 8; i++) {
			nodes.add(redis.node(this.events));
		}
		redis.resetStats();
		List<Future<?>> workers = new ArrayList<>();
		for (BackendLockRegistry node : nodes) {
			workers.add(this.threads.submit(() -> {
				for (int n = 0; n < 60; n++) {
					node.acquire(request("hot")).close();
				}
			}));
		}
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
	void aWaiterSendsAtMostOneCommandPerSafetyInterval() throws Exception {
		HeldLock held = this.two.acquire(request("patience"));
		List<Future<?>> waiters = new ArrayList<>();
		AtomicInteger entered = new AtomicInteger();
		for (int i = 0; i < 4; i++) {
			BackendLockRegistry node = redis.node(RedisNodes.settings(Duration.ofSeconds(1)), List.of(this.events));
			waiters.add(this.threads.submit(() -> {
				try (HeldLock lock = node.acquire(request("patience"))) {
					entered.addAndGet(lock.isHeld() ? 1 : 0);
				}
			}));
		}
		await().until(() -> redis.queueLength("patience") == 4);
		redis.resetStats();
		long start = System.nanoTime();
		await().pollDelay(Duration.ofSeconds(3)).until(() -> true);
		long commands = redis.calls("evalsha");
		// A lease of 1 s has a safety interval of at least 0.4 s.
		long intervals = (System.nanoTime() - start) / Duration.ofMillis(400).toNanos() + 1;
		assertThat(commands).isBetween(4L, 4 * intervals);
		held.close();
		for (Future<?> waiter : waiters) {
			waiter.get(30, TimeUnit.SECONDS);
		}
		assertThat(entered).hasValue(4);
	}

}
