package io.github.distlock.backend.redis;

import java.util.Properties;
import java.util.concurrent.atomic.AtomicBoolean;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisConnectionFactory;

/**
 * Warns of a server that removes keys to make room: locks are among the first to go,
 * since it prefers those that would expire soon. Where the user may not ask, nothing is
 * said.
 */
final class EvictionWarning {

	private static final Log logger = LogFactory.getLog(EvictionWarning.class);

	private static final String POLICY = "maxmemory_policy";

	private static final String LIMIT = "maxmemory";

	private final RedisConnectionFactory connections;

	private final AtomicBoolean asked = new AtomicBoolean();

	EvictionWarning(RedisConnectionFactory connections) {
		this.connections = connections;
	}

	/** Ask the server, the first time. */
	void warnOnce() {
		if (!this.asked.compareAndSet(false, true)) {
			return;
		}
		try (RedisConnection connection = this.connections.getConnection()) {
			Properties memory = connection.serverCommands().info("memory");
			if (memory != null) {
				memory.stringPropertyNames().stream().filter((name) -> name.endsWith(POLICY)).forEach((name) -> {
					// In a cluster each name begins with its node.
					String node = name.substring(0, name.length() - POLICY.length());
					warn(memory.getProperty(name), memory.getProperty(node + LIMIT, "0"));
				});
			}
		}
		catch (RuntimeException ex) {
			logger.debug("The eviction policy of Redis is not known", ex);
		}
	}

	private static void warn(String policy, String limit) {
		if (!policy.equals("noeviction") && !limit.equals("0")) {
			logger.warn("Redis removes keys when its memory is full (maxmemory-policy " + policy
					+ "), locks among them, so that two callers could hold one lock: set maxmemory-policy noeviction,"
					+ " or keep locks in a Redis of their own");
		}
	}

}
