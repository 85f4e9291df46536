package io.github.distlock.shapes;

import java.time.Duration;
import java.util.List;

import io.github.distlock.HeldLock;
import io.github.distlock.LockLostException;
import io.github.distlock.LockRequest;
import io.github.distlock.registry.BackendLockRegistry;
import io.github.distlock.testing.ContendedRun;
import io.github.distlock.testing.LockNodes;
import io.github.distlock.testing.RedisClusterNodes;
import io.github.distlock.testing.RedisProcess;
import io.github.distlock.testing.RespConnection;
import io.github.distlock.testing.RedisTestServer;
import io.github.distlock.testing.SentinelNodes;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * Failover from masters of a cluster to their replicas, where each test uses up one pair,
 * and failover by a sentinel.
 */
class FailoverTests {

	private static final Duration LEASE = Duration.ofSeconds(3);

	@AutoClose
	private static final RedisClusterNodes cluster = RedisClusterNodes.start(3);

	@AutoClose
	private final LockNodes nodes = new LockNodes(() -> cluster.connectionFactory(), Duration.ofSeconds(1));

	/** No test waits until the lease of the second one ends. */
	private List<BackendLockRegistry> two(Duration lease) {
		return List.of(this.nodes.node(lease), this.nodes.node(Duration.ofSeconds(30)));
	}

	private static void awaitMaster(RedisProcess replica) {
		await().pollInterval(Duration.ofMillis(20)).until(() -> replica.info("role").equals("master"));
	}

	@Test
	void aCoordinatedFailoverLosesNoWaiter() {
		String key = cluster.keyOn(cluster.masters().get(0), "orderly");
		try (ContendedRun run = ContendedRun.start(two(Duration.ofSeconds(30)), 0, key)) {
			cluster.replicas().get(0).ask("CLUSTER", "FAILOVER");
			awaitMaster(cluster.replicas().get(0));
			run.awaitProgress();
			run.finish();
			assertThat(run.violations()).isEmpty();
			assertThat(run.lost()).isZero();
			assertThat(run.failures()).isEmpty();
		}
	}

	@Test
	void waitersContinueAtTheReplicaWithHigherTokensAfterAMasterHasDied() {
		String key = cluster.keyOn(cluster.masters().get(1), "killed");
		try (ContendedRun run = ContendedRun.start(two(LEASE), 0, key)) {
			cluster.masters().get(1).kill();
			long before = run.highestToken();
			awaitMaster(cluster.replicas().get(1));
			run.awaitProgress();
			run.finish();
			assertThat(run.highestToken()).isGreaterThan(before);
			assertThat(run.failures()).isEmpty();
		}
	}

	@Test
	void theHolderOfAnUnreplicatedLockIsFencedAndNotified() {
		RedisProcess master = cluster.masters().get(2);
		String key = cluster.keyOn(master, "lost");
		List<BackendLockRegistry> both = two(LEASE);
		both.forEach((node) -> node.acquire(LockRequest.of(key).leaseTime(Duration.ofSeconds(30))).close());
		HeldLock old;
		try (RespConnection admin = new RespConnection(master.port())) {
			// The replica is disconnected and cannot connect again, so it lacks all
			// writes.
			admin.ask("CONFIG", "SET", "requirepass", "nobody knows it");
			admin.ask("CLIENT", "KILL", "TYPE", "replica");
			old = both.get(0).acquire(LockRequest.of(key));
			cluster.replicas().get(2).ask("CLUSTER", "FAILOVER", "TAKEOVER");
			admin.ask("CONFIG", "SET", "requirepass", "");
		}
		HeldLock fresh = both.get(1).acquire(LockRequest.of(key).waitTime(Duration.ofMinutes(1)));
		// Both may believe for a while that they hold the lock: only the token decides.
		assertThat(fresh.fencingToken()).isGreaterThan(old.fencingToken());
		await().atMost(Duration.ofMinutes(2)).until(() -> !old.isHeld());
		assertThatExceptionOfType(LockLostException.class).isThrownBy(old::close);
		assertThat(fresh.isHeld()).isTrue();
		fresh.close();
	}

	@ParameterizedTest
	@ValueSource(booleans = { false, true })
	void waitersContinueAtTheReplicaOfADeadOrHangingMaster(boolean hangs) {
		try (SentinelNodes redis = SentinelNodes.start();
				LockNodes jvms = new LockNodes(redis::connectionFactory, Duration.ofSeconds(1));
				ContendedRun run = ContendedRun.start(List.of(jvms.node(LEASE), jvms.node(LEASE)), 0, "failover")) {
			if (hangs) {
				redis.master().pause();
			}
			else {
				redis.master().kill();
			}
			long before = run.highestToken();
			redis.awaitFailover();
			run.awaitProgress();
			if (hangs) {
				redis.master().resume();
				run.awaitProgress();
			}
			run.finish();
			assertThat(run.highestToken()).isGreaterThan(before);
			assertThat(run.failures()).isEmpty();
		}
	}

	@Test
	void locksAreInTheMasterIfTheConnectionFactoryIsBehindAClassBasedProxy() {
		try (SentinelNodes redis = SentinelNodes.start();
				LockNodes proxied = new LockNodes(() -> RedisTestServer.advised(redis.connectionFactory()))) {
			BackendLockRegistry node = proxied.node(Duration.ofSeconds(30));
			HeldLock held = node.acquire(LockRequest.of("proxied"));
			assertThat(redis.master().ask("GET", "distlock:lock:{proxied}")).isNotNull();
			assertThat(node.store().location()).startsWith("Redis master 'locks' known to the sentinels at 127.0.0.1:");
			held.close();
		}
	}

}
