package io.github.distlock.testing;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

import io.github.distlock.LockListener;
import io.github.distlock.backend.TimeSource;
import io.github.distlock.backend.redis.RedisBackendSettings;
import io.github.distlock.backend.redis.RedisLockBackend;
import io.github.distlock.registry.BackendLockRegistry;

import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * Registries as so many JVMs have them, each on connections of its own, to a Redis of any
 * shape.
 */
public final class LockNodes implements AutoCloseable {

	private final Supplier<LettuceConnectionFactory> connections;

	private final List<BackendLockRegistry> registries = new ArrayList<>();

	private final List<LettuceConnectionFactory> factories = new ArrayList<>();

	/**
	 * Prepare.
	 * @param connections makes a started factory, as an application has it
	 */
	public LockNodes(Supplier<LettuceConnectionFactory> connections) {
		this.connections = connections;
	}

	/**
	 * Make a store.
	 * @param connections the application's
	 * @return the store, with defaults
	 */
	public static RedisLockBackend backend(LettuceConnectionFactory connections) {
		return new RedisLockBackend(connections, new RedisBackendSettings("distlock:", Duration.ofSeconds(1), true, 17),
				TimeSource.SYSTEM);
	}

	/**
	 * Start a registry.
	 * @param lease the lease of its watchdog
	 * @param listeners who is told
	 * @return the registry
	 */
	public BackendLockRegistry node(Duration lease, LockListener... listeners) {
		LettuceConnectionFactory factory = this.connections.get();
		this.factories.add(factory);
		BackendLockRegistry registry = new BackendLockRegistry(backend(factory), RedisNodes.settings(lease),
				List.of(listeners), TimeSource.SYSTEM);
		this.registries.add(registry);
		registry.start();
		return registry;
	}

	@Override
	public void close() {
		this.registries.forEach(BackendLockRegistry::shutdown);
		this.registries.clear();
		this.factories.forEach(LettuceConnectionFactory::destroy);
		this.factories.clear();
	}

}
