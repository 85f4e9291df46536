package io.github.distlock.testing;

import java.time.Duration;
import java.util.List;

import org.awaitility.Awaitility;

import org.springframework.data.redis.connection.RedisSentinelConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * A master, its replica, and a sentinel that promotes the replica when the master has
 * been unreachable for half a second.
 */
public final class SentinelNodes implements AutoCloseable {

	private static final String NAME = "locks";

	private final RedisProcess master;

	private final RedisProcess replica;

	private final RedisProcess sentinel;

	private SentinelNodes() {
		this.master = RedisProcess.start(RedisTestServer.freePort()).with(DocumentedRights.standalone());
		this.replica = RedisProcess.start(RedisTestServer.freePort(), "replicaof 127.0.0.1 " + this.master.port())
			.with(DocumentedRights.standalone());
		this.sentinel = RedisProcess
			.start(RedisProcess.embedded(), RedisTestServer.freePort(), List.of("--sentinel"),
					"sentinel monitor " + NAME + " 127.0.0.1 " + this.master.port() + " 1",
					"sentinel down-after-milliseconds " + NAME + " 500", "sentinel failover-timeout " + NAME + " 3000")
			.with(DocumentedRights.sentinel());
	}

	/** Start the servers. They know each other then. */
	public static SentinelNodes start() {
		SentinelNodes nodes = new SentinelNodes();
		Awaitility.await().until(() -> nodes.replica.info("master_link_status").equals("up"));
		// The sentinel learns of the replica with its next request to the master.
		Awaitility.await().atMost(Duration.ofSeconds(15)).until(nodes::isReplicaKnown);
		return nodes;
	}

	private boolean isReplicaKnown() {
		return String.valueOf(this.sentinel.ask("SENTINEL", "REPLICAS", NAME))
			.contains("slave-priority, 100, slave-repl-offset")
				&& String.valueOf(this.sentinel.ask("SENTINEL", "REPLICAS", NAME)).contains("master-link-status, ok");
	}

	public RedisProcess master() {
		return this.master;
	}

	public void awaitFailover() {
		Awaitility.await()
			.atMost(Duration.ofMinutes(2))
			.pollInterval(Duration.ofMillis(20))
			// The new master closes all its connections once.
			.ignoreExceptions()
			.until(() -> this.replica.info("role").equals("master"));
	}

	/** Connect as the documented users, as an application that uses the sentinel. */
	public LettuceConnectionFactory connectionFactory() {
		RedisSentinelConfiguration configuration = new RedisSentinelConfiguration().master(NAME)
			.sentinel("127.0.0.1", this.sentinel.port());
		configuration.setUsername("distlock");
		configuration.setPassword("password");
		configuration.setSentinelUsername("sentinel");
		configuration.setSentinelPassword("password");
		return RedisTestServer.started(new LettuceConnectionFactory(configuration));
	}

	@Override
	public void close() {
		List.of(this.sentinel, this.replica, this.master).forEach(RedisProcess::close);
	}

}
