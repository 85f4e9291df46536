package io.github.distlock.registry;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import io.github.distlock.HeldLock;
import io.github.distlock.LockRequest;
import io.github.distlock.testing.RedisNodes;
import io.github.distlock.testing.StoppedClock;
import io.github.distlock.testing.TcpProxy;
import io.github.distlock.testing.TestSettings;
import io.github.distlock.waiting.HandOffLimits;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * The terms of leases in a registry that keeps locks.
 */
class KeptLockTermsTests extends TwoRegistries {

	private static final Duration KEEP = Duration.ofSeconds(1);

	/** Let a registry keep a lock, as soon as its inbox is confirmed. */
	private static void keep(BackendLockRegistry node, String key) {
		await().until(() -> {
			node.acquire(request(key)).close();
			return !node.snapshot().kept().isEmpty();
		});
	}

	@Test
	void aMinimumHoldTimeIsKeptUnderAGrantThatAnotherCallerHasAskedFor() throws Exception {
		try (TcpProxy proxy = new TcpProxy(redis.server().port())) {
			RegistrySettings settings = TestSettings.keeping(RedisNodes.settings(Duration.ofMillis(1500)), KEEP);
			BackendLockRegistry node = redis.nodeBehind(proxy.port(), settings, List.of(this.events));
			keep(node, "other");
			proxy.holdBack(true);
			CompletableFuture<HeldLock> first = node.acquireAsync(request("key"));
			CompletableFuture<HeldLock> second = node.acquireAsync(request("key").minHold(Duration.ofSeconds(30)));
			first.cancel(true);
			proxy.holdBack(false);
			second.get(20, TimeUnit.SECONDS).close();
			// The grant is for less. The store extends it only if it knows the word.
			await().until(() -> redis.remainingMillis("key") > 10_000);
			assertThat(redis.isLocked("key")).isTrue();
			node.shutdown();
		}
	}

	@Test
	void withoutHandOffsNoLockIsKeptAndTheLeaseIsThatOfTheWatchdog() {
		RegistrySettings settings = RedisNodes.settings(Duration.ofSeconds(30), new HandOffLimits(0, Duration.ZERO));
		BackendLockRegistry node = redis.node(TestSettings.keeping(settings, KEEP), List.of(this.events),
				new StoppedClock());
		for (LockRequest request : List.of(request("property"), request("request").keep(KEEP))) {
			try (HeldLock lock = node.acquire(request)) {
				assertThat(lock.isHeld()).isTrue();
				assertThat(redis.remainingMillis(request.key())).as(request.key()).isGreaterThan(10_000);
			}
			assertThat(redis.isLocked(request.key())).as(request.key()).isFalse();
		}
		assertThat(node.snapshot().kept()).isEmpty();
	}

}
