package io.github.distlock.testing;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import io.github.distlock.LockListener;
import io.github.distlock.backend.TimeSource;
import io.github.distlock.backend.redis.RedisBackendSettings;
import io.github.distlock.backend.redis.RedisLockBackend;
import io.github.distlock.registry.BackendLockRegistry;
import io.github.distlock.registry.RegistrySettings;
import org.awaitility.Awaitility;

import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * A real Redis, and registries on it as so many JVMs have them.
 */
public final class RedisNodes implements AutoCloseable {

	private final RedisTestServer server;

	private final LettuceConnectionFactory connections;

	private final List<BackendLockRegistry> nodes = new ArrayList<>();

	private RedisNodes(RedisTestServer server) {
		this.server = server;
		this.connections = server.connectionFactory();
	}

	/**
	 * Start the server.
	 * @return the server, without nodes
	 */
	public static RedisNodes start() {
		return new RedisNodes(RedisTestServer.start());
	}

	/**
	 * Make settings as they are by default, with another lease.
	 * @param lease the lease of the watchdog
	 * @return the settings
	 */
	public static RegistrySettings settings(Duration lease) {
		return new RegistrySettings(Duration.ofSeconds(5), lease, null, Duration.ofSeconds(10), false,
				Duration.ofSeconds(5));
	}

	/**
	 * Start a registry with default settings.
	 * @param listeners who is told
	 * @return the registry
	 */
	public BackendLockRegistry node(LockListener... listeners) {
		return node(settings(Duration.ofSeconds(30)), List.of(listeners));
	}

	/**
	 * Start a registry.
	 * @param settings its settings
	 * @param listeners who is told
	 * @return the registry
	 */
	public BackendLockRegistry node(RegistrySettings settings, List<LockListener> listeners) {
		BackendLockRegistry registry = new BackendLockRegistry(
				new RedisLockBackend(this.connections,
						new RedisBackendSettings("distlock:", Duration.ofSeconds(1), true), TimeSource.SYSTEM),
				settings, listeners, TimeSource.SYSTEM);
		long probes = calls("publish");
		registry.start();
		this.nodes.add(registry);
		// Each node publishes once to its inbox when it hears.
		Awaitility.await().until(() -> calls("publish") > probes);
		return registry;
	}

	/** Shut all registries down. */
	public void stopNodes() {
		this.nodes.forEach(BackendLockRegistry::shutdown);
		this.nodes.clear();
	}

	/** Lose all data. */
	public void flush() {
		try (RedisConnection connection = this.connections.getConnection()) {
			connection.serverCommands().flushAll();
		}
	}

	/** Count commands from zero. */
	public void resetStats() {
		try (RedisConnection connection = this.connections.getConnection()) {
			connection.serverCommands().resetConfigStats();
		}
	}

	/**
	 * Return how often a command ran since the last reset, inside scripts too.
	 * @param command its name
	 * @return the count
	 */
	public long calls(String command) {
		try (RedisConnection connection = this.connections.getConnection()) {
			return RedisTestServer.calls(connection, command);
		}
	}

	/**
	 * Return how many keys there are.
	 * @return the count
	 */
	public long keys() {
		try (RedisConnection connection = this.connections.getConnection()) {
			return connection.serverCommands().dbSize();
		}
	}

	public RedisTestServer server() {
		return this.server;
	}

	@Override
	public void close() {
		stopNodes();
		this.connections.destroy();
		this.server.close();
	}

}
