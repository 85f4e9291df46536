package io.github.distlock.registry;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import io.github.distlock.HeldLock;
import io.github.distlock.LockBackendException;
import io.github.distlock.LockRequest;
import io.github.distlock.testing.RedisNodes;
import io.github.distlock.testing.TcpProxy;
import io.github.distlock.testing.TestSettings;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Fair callers of a store that becomes unavailable.
 */
class FairFaultTests extends TwoRegistries {

	@Test
	void aSilentStoreEndsTheWaitOfEachFairCallerAndNotOnlyOfTheFirst() {
		try (TcpProxy proxy = new TcpProxy(redis.server().port())) {
			RegistrySettings settings = TestSettings.of(Duration.ofSeconds(5), Duration.ofSeconds(30), null,
					RedisNodes.HAND_OFF, Duration.ofSeconds(3), false, Duration.ofMillis(100));
			BackendLockRegistry remote = redis.nodeBehind(proxy.port(), settings, List.of(this.events));
			HeldLock held = this.two.acquire(request("silent"));
			List<CompletableFuture<HeldLock>> callers = new ArrayList<>();
			for (int i = 0; i < 3; i++) {
				callers.add(remote.acquireAsync(LockRequest.of("silent").waitTime(Duration.ofSeconds(15)).fair(true)));
			}
			await().until(() -> redis.queueLength("silent") == 3);
			proxy.refuse(true);
			for (CompletableFuture<HeldLock> caller : callers) {
				assertThat(caller).failsWithin(12, TimeUnit.SECONDS)
					.withThrowableThat()
					.withCauseInstanceOf(LockBackendException.class);
			}
			held.close();
		}
	}

}
