package io.github.distlock.backend.redis;

import java.time.Duration;

import io.github.distlock.LockInstance;
import io.github.distlock.LockMode;
import io.github.distlock.backend.LockStore;
import io.github.distlock.backend.StoreContext;
import io.github.distlock.backend.Ticket;
import io.github.distlock.backend.TimeSource;
import io.github.distlock.testing.NoSignals;
import io.github.distlock.testing.RedisTestServer;
import io.lettuce.core.resource.ClientResources;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.jedis.JedisClientConfiguration;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.data.redis.core.StringRedisTemplate;

/**
 * A real Redis for the tests of a class, and the stores that they open on it. The stores
 * send their signals to the test.
 */
abstract class OnRedis extends NoSignals {

	/** Of a command, where no test waits for its end: longer than a machine pauses. */
	static final Duration TIMEOUT = Duration.ofSeconds(20);

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
		server.close();
	}

	static RedisLockBackend backend(RedisConnectionFactory connections) {
		return backend(connections, TIMEOUT, TimeSource.SYSTEM);
	}

	static RedisLockBackend backend(RedisConnectionFactory connections, Duration timeout, TimeSource clock) {
		return new RedisLockBackend(connections, new RedisBackendSettings("distlock:", timeout, true, 17), clock);
	}

	/** A backend that shares the connections of the application. */
	static RedisLockBackend sharing(RedisConnectionFactory connections) {
		return new RedisLockBackend(connections, new RedisBackendSettings("distlock:", TIMEOUT, false, 17),
				TimeSource.SYSTEM);
	}

	/** A node of a quorum, to be started and stopped. */
	static RedisQuorumNode node(int port, ClientResources resources) {
		return new RedisQuorumNode("127.0.0.1:" + port, new RedisStandaloneConfiguration("127.0.0.1", port),
				LettuceClientConfiguration.builder().clientResources(resources).build(), "distlock:", TIMEOUT);
	}

	/** Pooled connections of Jedis, to be started and destroyed. */
	static JedisConnectionFactory jedis(int port) {
		return new JedisConnectionFactory(new RedisStandaloneConfiguration("127.0.0.1", port),
				JedisClientConfiguration.builder().connectTimeout(TIMEOUT).readTimeout(TIMEOUT).usePooling().build());
	}

	LockStore open(RedisLockBackend backend, String instance) {
		return backend.open(new StoreContext(LockInstance.of(instance), this));
	}

	static Ticket ticket(String key, long number) {
		return new Ticket(key, LockMode.EXCLUSIVE, "me", number, false);
	}

}
