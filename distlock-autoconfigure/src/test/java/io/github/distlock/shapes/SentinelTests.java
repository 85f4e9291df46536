package io.github.distlock.shapes;

import java.time.Duration;
import java.util.List;

import io.github.distlock.HeldLock;
import io.github.distlock.LockRequest;
import io.github.distlock.registry.BackendLockRegistry;
import io.github.distlock.testing.ContendedRun;
import io.github.distlock.testing.LockNodes;
import io.github.distlock.testing.RedisTestServer;
import io.github.distlock.testing.SentinelNodes;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Failover to a replica by a sentinel.
 */
class SentinelTests {

	private static final Duration LEASE = Duration.ofSeconds(3);

	private final SentinelNodes redis = SentinelNodes.start();

	private final LockNodes nodes = new LockNodes(this.redis::connectionFactory, Duration.ofSeconds(1));

	@AfterEach
	void stop() {
		this.nodes.close();
		this.redis.close();
	}

	private List<BackendLockRegistry> two() {
		return List.of(this.nodes.node(LEASE), this.nodes.node(LEASE));
	}

	@ParameterizedTest
	@ValueSource(booleans = { false, true })
	void waitersContinueAtTheReplicaOfADeadOrHangingMaster(boolean hangs) {
		try (ContendedRun run = ContendedRun.start(two(), 0, "failover")) {
			if (hangs) {
				this.redis.master().pause();
			}
			else {
				this.redis.master().kill();
			}
			long before = run.highestToken();
			this.redis.awaitFailover();
			run.awaitProgress();
			if (hangs) {
				this.redis.master().resume();
				run.awaitProgress();
			}
			run.finish();
			assertThat(run.highestToken()).isGreaterThan(before);
			assertThat(run.failures()).isEmpty();
		}
	}

	@Test
	void locksAreInTheMasterIfTheConnectionFactoryIsBehindAClassBasedProxy() {
		try (LockNodes proxied = new LockNodes(() -> RedisTestServer.advised(this.redis.connectionFactory()))) {
			BackendLockRegistry node = proxied.node(Duration.ofSeconds(30));
			HeldLock held = node.acquire(LockRequest.of("proxied"));
			assertThat(this.redis.master().ask("GET", "distlock:lock:{proxied}")).isNotNull();
			assertThat(node.store().location()).startsWith("Redis master 'locks' known to the sentinels at 127.0.0.1:");
			held.close();
		}
	}

}
