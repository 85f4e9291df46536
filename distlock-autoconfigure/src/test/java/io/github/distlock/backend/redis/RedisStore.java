package io.github.distlock.backend.redis;

import java.time.Duration;

import io.github.distlock.backend.LockBackend;
import io.github.distlock.backend.TimeSource;
import io.github.distlock.contract.StoreUnderTest;
import io.github.distlock.testing.RedisTestServer;

import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * A standalone Redis under the contract.
 */
final class RedisStore implements StoreUnderTest {

	private final AutoCloseable server;

	private final LettuceConnectionFactory connections;

	private RedisStore(AutoCloseable server, int port) {
		this.server = server;
		this.connections = RedisTestServer.connectionFactory(port);
	}

	/** The Redis that Maven brings. */
	static RedisStore embedded() {
		RedisTestServer server = RedisTestServer.start();
		return new RedisStore(server, server.port());
	}

	@Override
	public LockBackend newBackend(TimeSource clock) {
		return new RedisLockBackend(this.connections,
				new RedisBackendSettings("distlock:", Duration.ofSeconds(1), true, 17), clock);
	}

	@Override
	public void clear() {
		try (RedisConnection connection = this.connections.getConnection()) {
			connection.serverCommands().flushAll();
		}
	}

	@Override
	public long items() {
		try (RedisConnection connection = this.connections.getConnection()) {
			Long size = connection.serverCommands().dbSize();
			return (size != null) ? size : -1;
		}
	}

	@Override
	public Duration memory() {
		return Duration.ofSeconds(11);
	}

	@Override
	public void close() {
		this.connections.destroy();
		try {
			this.server.close();
		}
		catch (Exception ex) {
			throw new IllegalStateException(ex);
		}
	}

}
