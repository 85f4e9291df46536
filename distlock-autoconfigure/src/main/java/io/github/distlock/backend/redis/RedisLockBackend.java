package io.github.distlock.backend.redis;

import java.util.EnumSet;

import io.github.distlock.LockMode;
import io.github.distlock.backend.BackendDescription;
import io.github.distlock.backend.LockBackend;
import io.github.distlock.backend.LockStore;
import io.github.distlock.backend.StoreContext;
import io.github.distlock.backend.TimeSource;

import org.springframework.data.redis.connection.RedisConnectionFactory;

/**
 * Locks in Redis: each verb is one script, and a grant to a waiting ticket is published
 * to the one inbox of its JVM. Works with any connection factory of Spring Data; with
 * Lettuce on dedicated connections. Thread-safe.
 */
public final class RedisLockBackend implements LockBackend {

	private final RedisConnectionFactory connectionFactory;

	private final RedisBackendSettings settings;

	private final TimeSource clock;

	private final BackendDescription description;

	/**
	 * Create a backend.
	 * @param connectionFactory the connection factory of the application
	 * @param settings the settings
	 * @param clock the time
	 */
	public RedisLockBackend(RedisConnectionFactory connectionFactory, RedisBackendSettings settings, TimeSource clock) {
		this.connectionFactory = connectionFactory;
		this.settings = settings;
		this.clock = clock;
		this.description = new BackendDescription("redis", EnumSet.allOf(LockMode.class), true, true,
				settings.tokensPerGrant(), settings.commandTimeout(), RedisLockStore.BATCH_SIZE, true);
	}

	@Override
	public BackendDescription description() {
		return this.description;
	}

	@Override
	public LockStore open(StoreContext context) {
		// First, since this may fail, and the connections have threads.
		Scripts.load();
		RedisKeys keys = new RedisKeys(this.settings.keyPrefix());
		RedisConnections connections = new RedisConnections(this.connectionFactory, this.settings, keys, this.clock,
				context);
		connections.open();
		return new RedisLockStore(connections, keys, this.description, this.clock, context);
	}

}
