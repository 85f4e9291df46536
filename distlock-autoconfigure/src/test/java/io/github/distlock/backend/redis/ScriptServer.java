package io.github.distlock.backend.redis;

import io.github.distlock.testing.RedisTestServer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;

import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.data.redis.core.StringRedisTemplate;

/**
 * A real server for tests of scripts; each test begins without data.
 */
abstract class ScriptServer {

	static RedisTestServer server;

	static LettuceConnectionFactory connections;

	static StringRedisTemplate template;

	@BeforeAll
	static void startServer() {
		server = RedisTestServer.start();
		connections = server.connectionFactory();
		template = new StringRedisTemplate(connections);
	}

	@AfterAll
	static void stopServer() {
		connections.destroy();
		server.close();
	}

	@BeforeEach
	void forget() {
		template.execute((RedisConnection connection) -> {
			connection.serverCommands().flushAll();
			return true;
		});
	}

	/** Zero removes the limit. */
	static void maxMemory(String bytes) {
		template.execute((RedisConnection connection) -> {
			connection.serverCommands().setConfig("maxmemory", bytes);
			return true;
		});
	}

}
