package io.github.distlock.torture.worker;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executor;

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
import io.github.distlock.testing.ZooKeeperTestServer;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.DefaultEventLoopGroupProvider;
import io.netty.channel.EventLoopGroup;
import org.apache.curator.framework.CuratorFramework;

import org.springframework.data.redis.connection.ReactiveRedisConnectionFactory;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * The store of a worker, and the threads of the driver on which the application runs its
 * own code.
 *
 * @param backend the store
 * @param threads executors for the threads of the driver, by their names
 */
record WorkerStore(LockBackend backend, Map<String, Executor> threads) {

	private static final String PREFIX = "distlock:";

	private static final Duration COMMAND_TIMEOUT = Duration.ofSeconds(1);

	private static final int DRIVER_THREADS = 2;

	/** Open the store that {@code -Dtorture.store} names. */
	static WorkerStore open(int port, int tokens, Duration lease) {
		return switch (System.getProperty("torture.store", "redis")) {
			case "redis" -> redis(port, tokens);
			case "postgresql" -> postgresql(port, tokens, true);
			case "postgresql-connection" -> postgresql(port, tokens, false);
			default -> zookeeper(port, tokens, lease);
		};
	}

	/**
	 * The application has its own driver threads, as Spring Boot configures them, and a
	 * connection on them.
	 */
	private static WorkerStore redis(int port, int tokens) {
		Loops loops = new Loops();
		ClientResources resources = ClientResources.builder()
			.eventLoopGroupProvider(loops)
			.computationThreadPoolSize(DRIVER_THREADS)
			.build();
		LettuceConnectionFactory application = new LettuceConnectionFactory(
				new RedisStandaloneConfiguration("127.0.0.1", port),
				LettuceClientConfiguration.builder()
					.clientResources(resources)
					.shutdownQuietPeriod(Duration.ZERO)
					.build());
		application.afterPropertiesSet();
		application.start();
		ReactiveRedisConnectionFactory reactive = application;
		Map<String, Executor> threads = new TreeMap<>();
		threads.put("event-loop", (task) -> loops.groups.get(0).next().execute(task));
		threads.put("executor", (task) -> resources.eventExecutorGroup().next().execute(task));
		threads.put("reactive-chain",
				(task) -> reactive.getReactiveConnection()
					.ping()
					.doFinally((signal) -> task.run())
					.subscribe((answer) -> {
					}, (failure) -> {
					}));
		return new WorkerStore(new RedisLockBackend(application,
				new RedisBackendSettings(PREFIX, COMMAND_TIMEOUT, true, tokens), TimeSource.SYSTEM), threads);
	}

	private static WorkerStore postgresql(int port, int tokens, boolean lease) {
		HikariDataSource application = new HikariDataSource();
		application.setJdbcUrl("jdbc:postgresql://127.0.0.1:" + port + "/postgres");
		application.setUsername("postgres");
		application.setPassword("");
		application.setMaximumPoolSize(2);
		JdbcBackendSettings settings = new JdbcBackendSettings(PREFIX, COMMAND_TIMEOUT, Duration.ofMillis(100), tokens,
				3, 20, true, TableNames.DEFAULT);
		return new WorkerStore(lease ? JdbcBackend.lease(application, settings, TimeSource.SYSTEM)
				: JdbcBackend.connection(application, settings, TimeSource.SYSTEM), Map.of());
	}

	/** Locks last as long as the session, which takes the place of the lease. */
	private static WorkerStore zookeeper(int port, int tokens, Duration session) {
		CuratorFramework client = ZooKeeperTestServer.client("127.0.0.1:" + port, session);
		client.start();
		int most = Math.min(tokens, ZooKeeperBackendSettings.MOST_TOKENS_PER_GRANT);
		return new WorkerStore(new ZooKeeperLockBackend(client,
				new ZooKeeperBackendSettings("/distlock", COMMAND_TIMEOUT, most), TimeSource.SYSTEM), Map.of());
	}

	/** Remembers the event loops of the application, from its first connection on. */
	private static final class Loops extends DefaultEventLoopGroupProvider {

		private final List<EventLoopGroup> groups = new CopyOnWriteArrayList<>();

		Loops() {
			super(DRIVER_THREADS);
		}

		@Override
		public <T extends EventLoopGroup> T allocate(Class<T> type) {
			T allocated = super.allocate(type);
			this.groups.add(allocated);
			return allocated;
		}

	}

}
