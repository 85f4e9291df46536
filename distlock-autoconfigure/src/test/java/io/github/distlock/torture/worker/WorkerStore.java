package io.github.distlock.torture.worker;

import java.time.Duration;

import com.zaxxer.hikari.HikariDataSource;
import io.github.distlock.backend.LockBackend;
import io.github.distlock.backend.TimeSource;
import io.github.distlock.backend.jdbc.JdbcBackend;
import io.github.distlock.backend.jdbc.JdbcBackendSettings;
import io.github.distlock.backend.jdbc.JdbcBackendSettings.TableNames;
import io.github.distlock.backend.redis.RedisBackendSettings;
import io.github.distlock.backend.redis.RedisLockBackend;
import io.github.distlock.backend.zookeeper.ZooKeeperBackendSettings;
import io.github.distlock.backend.zookeeper.ZooKeeperLockBackend;
import io.github.distlock.testing.RedisTestServer;
import io.github.distlock.testing.ZooKeeperTestServer;
import org.apache.curator.framework.CuratorFramework;

/** Opens the store of a worker. */
final class WorkerStore {

	private static final String PREFIX = "distlock:";

	private static final Duration COMMAND_TIMEOUT = Duration.ofSeconds(1);

	private WorkerStore() {
	}

	/** Open the store that {@code -Dtorture.store} names. */
	static LockBackend open(int port, int tokens, Duration lease) {
		return switch (System.getProperty("torture.store", "redis")) {
			case "redis" -> redis(port, tokens);
			case "postgresql" -> postgresql(port, tokens, true);
			case "postgresql-connection" -> postgresql(port, tokens, false);
			default -> zookeeper(port, tokens, lease);
		};
	}

	private static LockBackend redis(int port, int tokens) {
		return new RedisLockBackend(RedisTestServer.connectionFactory(port),
				new RedisBackendSettings(PREFIX, COMMAND_TIMEOUT, true, tokens), TimeSource.SYSTEM);
	}

	private static LockBackend postgresql(int port, int tokens, boolean lease) {
		HikariDataSource application = new HikariDataSource();
		application.setJdbcUrl("jdbc:postgresql://127.0.0.1:" + port + "/postgres");
		application.setUsername("postgres");
		application.setPassword("");
		application.setMaximumPoolSize(2);
		JdbcBackendSettings settings = new JdbcBackendSettings(PREFIX, COMMAND_TIMEOUT, Duration.ofMillis(100), tokens,
				3, 20, true, TableNames.DEFAULT, "");
		return lease ? JdbcBackend.lease(application, settings, TimeSource.SYSTEM)
				: JdbcBackend.connection(application, settings, TimeSource.SYSTEM);
	}

	/** Locks last as long as the session, which takes the place of the lease. */
	private static LockBackend zookeeper(int port, int tokens, Duration session) {
		CuratorFramework client = ZooKeeperTestServer.client("127.0.0.1:" + port, session);
		client.start();
		int most = Math.min(tokens, ZooKeeperBackendSettings.MOST_TOKENS_PER_GRANT);
		return new ZooKeeperLockBackend(client, new ZooKeeperBackendSettings("/distlock", COMMAND_TIMEOUT, most),
				TimeSource.SYSTEM);
	}

}
