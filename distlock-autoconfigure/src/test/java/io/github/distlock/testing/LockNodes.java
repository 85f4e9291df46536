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
import io.github.distlock.registry.RegistrySettings.ReleaseMode;

import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * Registries of several JVMs, each with connections of its own, on a Redis of any
 * topology.
 */
public record LockNodes(Supplier<LettuceConnectionFactory> connections, Duration commandTimeout,
		List<BackendLockRegistry> registries, List<LettuceConnectionFactory> factories) implements AutoCloseable {

	/** Of a command, and how long a caller waits: longer than a machine pauses. */
	private static final Duration PATIENCE = Duration.ofSeconds(20);

	/**
	 * Create it without registries. Their connection factories are started, as those of
	 * an application.
	 */
	public LockNodes(Supplier<LettuceConnectionFactory> connections) {
		this(connections, PATIENCE);
	}

	/** For a test that waits for commands that are not answered. */
	public LockNodes(Supplier<LettuceConnectionFactory> connections, Duration commandTimeout) {
		this(connections, commandTimeout, new ArrayList<>(), new ArrayList<>());
	}

	/** Create a backend with default settings. */
	public static RedisLockBackend backend(LettuceConnectionFactory connections) {
		return backend(connections, PATIENCE);
	}

	private static RedisLockBackend backend(LettuceConnectionFactory connections, Duration commandTimeout) {
		return new RedisLockBackend(connections, new RedisBackendSettings("distlock:", commandTimeout, true, 17),
				TimeSource.SYSTEM);
	}

	public BackendLockRegistry node(Duration lease, LockListener... listeners) {
		return node(lease, ReleaseMode.CONFIRMED, listeners);
	}

	public BackendLockRegistry node(Duration lease, ReleaseMode release, LockListener... listeners) {
		LettuceConnectionFactory factory = this.connections.get();
		this.factories.add(factory);
		BackendLockRegistry registry = CheckedEnvironment.registry(backend(factory, this.commandTimeout),
				TestSettings.releasing(
						TestSettings.of(PATIENCE, lease, null, RedisNodes.HAND_OFF, PATIENCE, false, Duration.ZERO),
						release),
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
