package io.github.distlock.shapes;

import java.time.Duration;
import java.util.List;

import io.github.distlock.HeldLock;
import io.github.distlock.LockRequest;
import io.github.distlock.registry.BackendLockRegistry;
import io.github.distlock.testing.ContendedRun;
import io.github.distlock.testing.DocumentedRights;
import io.github.distlock.testing.LockNodes;
import io.github.distlock.testing.RedisProcess;
import io.github.distlock.testing.RedisTestServer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.data.redis.connection.RedisSentinelConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Failover to a replica by a sentinel.
 */
class SentinelTests {

	private static final Duration LEASE = Duration.ofSeconds(3);

	private static final String NAME = "locks";

	private final RedisProcess master = RedisProcess.start(RedisTestServer.freePort())
		.with(DocumentedRights.standalone());

	private final RedisProcess replica = RedisProcess
		.start(RedisTestServer.freePort(), "replicaof 127.0.0.1 " + this.master.port())
		.with(DocumentedRights.standalone());

	/** Promotes the replica when the master has been unreachable for half a second. */
	private final RedisProcess sentinel = RedisProcess
		.start(RedisProcess.embedded(), RedisTestServer.freePort(), List.of("--sentinel"),
				"sentinel monitor " + NAME + " 127.0.0.1 " + this.master.port() + " 1",
				"sentinel down-after-milliseconds " + NAME + " 500", "sentinel failover-timeout " + NAME + " 3000")
		.with(DocumentedRights.sentinel());

	private final LockNodes nodes = new LockNodes(this::connectionFactory, Duration.ofSeconds(1));

	@BeforeEach
	void start() {
		await().until(() -> this.replica.info("master_link_status").equals("up"));
		// The sentinel learns of the replica with its next request to the master.
		await().atMost(Duration.ofSeconds(15)).until(() -> {
			String replicas = String.valueOf(this.sentinel.ask("SENTINEL", "REPLICAS", NAME));
			return replicas.contains("slave-priority, 100, slave-repl-offset")
					&& replicas.contains("master-link-status, ok");
		});
	}

	@AfterEach
	void stop() {
		this.nodes.close();
		List.of(this.sentinel, this.replica, this.master).forEach(RedisProcess::close);
	}

	/** Connect as the documented users, as an application that uses the sentinel. */
	private LettuceConnectionFactory connectionFactory() {
		RedisSentinelConfiguration configuration = new RedisSentinelConfiguration().master(NAME)
			.sentinel("127.0.0.1", this.sentinel.port());
		configuration.setUsername("distlock");
		configuration.setPassword("password");
		configuration.setSentinelUsername("sentinel");
		configuration.setSentinelPassword("password");
		LettuceConnectionFactory factory = new LettuceConnectionFactory(configuration);
		factory.afterPropertiesSet();
		factory.start();
		return factory;
	}

	private List<BackendLockRegistry> two() {
		return List.of(this.nodes.node(LEASE), this.nodes.node(LEASE));
	}

	@ParameterizedTest
	@ValueSource(booleans = { false, true })
	void waitersContinueAtTheReplicaOfADeadOrHangingMaster(boolean hangs) {
		try (ContendedRun run = ContendedRun.start(two(), 0, "failover")) {
			if (hangs) {
				this.master.pause();
			}
			else {
				this.master.kill();
			}
			long before = run.highestToken();
			await().atMost(Duration.ofMinutes(2))
				.pollInterval(Duration.ofMillis(20))
				// The new master closes all its connections once.
				.ignoreExceptions()
				.until(() -> this.replica.info("role").equals("master"));
			run.awaitProgress();
			if (hangs) {
				this.master.resume();
				run.awaitProgress();
			}
			run.finish();
			assertThat(run.highestToken()).isGreaterThan(before);
			assertThat(run.failures()).isEmpty();
		}
	}

	@Test
	void locksAreInTheMasterIfTheConnectionFactoryIsBehindAClassBasedProxy() {
		try (LockNodes proxied = new LockNodes(() -> RedisTestServer.advised(connectionFactory()))) {
			BackendLockRegistry node = proxied.node(Duration.ofSeconds(30));
			HeldLock held = node.acquire(LockRequest.of("proxied"));
			assertThat(this.master.ask("GET", "distlock:lock:{proxied}")).isNotNull();
			assertThat(node.store().location()).startsWith("Redis master 'locks' known to the sentinels at 127.0.0.1:");
			held.close();
		}
	}

}
