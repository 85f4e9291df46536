package io.github.distlock.backend.redis;

import java.time.Duration;

import io.github.distlock.backend.LockBackend;
import io.github.distlock.backend.LockBackendContract;
import io.github.distlock.backend.TimeSource;
import io.github.distlock.testing.RedisTestServer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * The contract, on Redis.
 */
class RedisLockBackendTests extends LockBackendContract {

	private static RedisTestServer server;

	private static LettuceConnectionFactory connections;

	@BeforeAll
	static void startServer() {
		server = RedisTestServer.start();
		connections = server.connectionFactory();
	}

	@AfterAll
	static void stopServer() {
		connections.destroy();
		server.close();
	}

	@Override
	protected LockBackend newBackend() {
		return new RedisLockBackend(connections, new RedisBackendSettings("distlock:", Duration.ofSeconds(1), true, 17),
				TimeSource.SYSTEM);
	}

	@Override
	protected long itemsInStore() {
		try (RedisConnection connection = connections.getConnection()) {
			return connection.serverCommands().dbSize();
		}
	}

	@Override
	protected Duration memory() {
		return Duration.ofSeconds(11);
	}

	@Override
	protected void forgetEverything() {
		try (RedisConnection connection = connections.getConnection()) {
			connection.serverCommands().flushAll();
		}
	}

}
