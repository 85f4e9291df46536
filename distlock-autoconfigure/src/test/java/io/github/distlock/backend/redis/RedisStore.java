package io.github.distlock.backend.redis;

import java.time.Duration;
import java.util.List;

import io.github.distlock.backend.LockBackend;
import io.github.distlock.backend.TimeSource;
import io.github.distlock.contract.StoreUnderTest;
import io.github.distlock.installed.Installed;
import io.github.distlock.testing.RedisClusterNodes;
import io.github.distlock.testing.RedisLocales;
import io.github.distlock.testing.RedisProcess;
import io.github.distlock.testing.RedisTestServer;
import org.apache.commons.pool2.impl.GenericObjectPoolConfig;
import redis.clients.jedis.Jedis;

import org.springframework.beans.factory.DisposableBean;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.jedis.JedisClientConfiguration;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;

/**
 * A Redis under the contract.
 */
final class RedisStore implements StoreUnderTest {

	private final AutoCloseable server;

	private final RedisConnectionFactory connections;

	private RedisStore(AutoCloseable server, RedisConnectionFactory connections) {
		this.server = server;
		this.connections = connections;
	}

	/** The Redis that Maven brings. */
	static RedisStore embedded() {
		RedisTestServer server = RedisTestServer.start();
		return new RedisStore(server, server.connectionFactory());
	}

	/** With Jedis, and a pool that is large enough for all JVMs of the contract. */
	static RedisStore jedis() {
		RedisTestServer server = RedisTestServer.start();
		GenericObjectPoolConfig<Jedis> pool = new GenericObjectPoolConfig<>();
		pool.setMaxTotal(200);
		JedisConnectionFactory jedis = new JedisConnectionFactory(
				new RedisStandaloneConfiguration("127.0.0.1", server.port()),
				JedisClientConfiguration.builder().readTimeout(OnRedis.TIMEOUT).usePooling().poolConfig(pool).build());
		return new RedisStore(server, RedisTestServer.started(jedis));
	}

	/** A Redis Cluster of three masters. */
	static RedisStore cluster() {
		RedisClusterNodes nodes = RedisClusterNodes.start(0);
		// The contract also empties the store.
		return new RedisStore(nodes, nodes.connectionFactory("default"));
	}

	/**
	 * The Valkey that is installed on this machine, which has {@code SET ... IFEQ} from
	 * version 8.1 on; without it the tests are skipped.
	 */
	static RedisStore valkey() {
		RedisProcess server = RedisProcess.start(Installed.VALKEY_SERVER.assume(), RedisTestServer.freePort(),
				List.of());
		return new RedisStore(server, RedisTestServer.connectionFactory(server.port()));
	}

	/**
	 * The Redis that is installed on this machine, under a locale that does not compare
	 * bytes; without either the tests are skipped.
	 */
	static RedisStore collating() {
		RedisProcess server = RedisLocales.start(RedisLocales.COLLATING);
		return new RedisStore(server, RedisTestServer.connectionFactory(server.port()));
	}

	@Override
	public LockBackend newBackend(TimeSource clock) {
		return OnRedis.backend(this.connections, OnRedis.TIMEOUT, clock);
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
		try {
			((DisposableBean) this.connections).destroy();
			this.server.close();
		}
		catch (Exception ex) {
			throw new IllegalStateException(ex);
		}
	}

}
