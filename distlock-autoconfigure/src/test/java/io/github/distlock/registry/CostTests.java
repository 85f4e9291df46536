package io.github.distlock.registry;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

import io.github.distlock.HandOff;
import io.github.distlock.HeldLock;
import io.github.distlock.LockRequest;
import io.github.distlock.engine.HandOffLimits;
import io.github.distlock.testing.RedisNodes;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * The cost of locks, measured by the counters of the server.
 */
class CostTests extends TwoRegistries {

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

}
