package io.github.distlock.autoconfigure;

import java.net.URL;
import java.net.URLClassLoader;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;

import io.github.distlock.HeldLock;
import io.github.distlock.LockListener;
import io.github.distlock.LockRegistry;
import io.github.distlock.LockRequest;
import io.github.distlock.testing.RedisTestServer;
import io.github.distlock.testing.ZooKeeperTestServer;
import org.junit.jupiter.api.Test;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * The threads of a started application inherit nothing from the thread of the first call,
 * and only the context class loader of the thread that started the application.
 */
class ThreadOriginTests {

	private static final InheritableThreadLocal<String> TENANT = new InheritableThreadLocal<>();

	private final ClassLoader starterClassLoader = loader("starter");

	private final ClassLoader callerClassLoader = loader("caller");

	private final Set<String> tenantsOfListener = ConcurrentHashMap.newKeySet();

	@Test
	void theThreadsOfRedisLocksServeNoCaller() throws Exception {
		try (RedisTestServer server = RedisTestServer.start()) {
			verify(Contexts.withRedis().withPropertyValues("spring.data.redis.port=" + server.port()), "distlock-inbox",
					"distlock-renewal-");
		}
	}

	@Test
	void theThreadsOfJdbcLocksServeNoCaller() throws Exception {
		verify(Contexts.withoutRedis()
			.withConfiguration(AutoConfigurations.of(DataSourceAutoConfiguration.class))
			.withPropertyValues("distlock.backend=jdbc", "spring.datasource.url=jdbc:h2:mem:" + UUID.randomUUID()),
				"distlock-jdbc-", "distlock-jdbc-timer-", "distlock-renewal-");
	}

	@Test
	void theThreadsOfZooKeeperLocksServeNoCaller() throws Exception {
		try (ZooKeeperTestServer server = ZooKeeperTestServer.start()) {
			verify(Contexts.withoutRedis()
				.withPropertyValues("distlock.backend=zookeeper",
						"distlock.zookeeper.connect-string=" + server.connectString()),
					"distlock-zookeeper");
		}
	}

	private void verify(ApplicationContextRunner application, String... ofTheStore) throws Exception {
		as("starter", this.starterClassLoader,
				() -> application
					.withPropertyValues("distlock.lease-time=9s", "distlock.redis.command-timeout=2500ms",
							"distlock.jdbc.command-timeout=2500ms", "distlock.enabled=true")
					.withBean(LockListener.class, this::listener)
					.run((context) -> {
						assertThat(context).hasNotFailed();
						LockRegistry registry = context.getBean(LockRegistry.class);
						verifyThreads(registry, ofTheStore);
						context.getSourceApplicationContext().stop();
						context.getSourceApplicationContext().start();
						verifyThreads(registry, ofTheStore);
					}));
	}

	private void verifyThreads(LockRegistry registry, String... ofTheStore) throws Exception {
		as("alice", this.callerClassLoader, () -> {
			try (HeldLock lock = registry.acquire(LockRequest.of("origin"))) {
				CompletableFuture<HeldLock> next = registry
					.acquireAsync(LockRequest.of("origin").waitTime(Duration.ofSeconds(30)));
				await().until(
						() -> List.of(ofTheStore).stream().allMatch((name) -> threads(name, this.starterClassLoader)));
				assertThat(lock.isHeld()).isTrue();
				return next;
			}
		}).get(30, TimeUnit.SECONDS).close();
		assertThat(threads("distlock-timer-", this.starterClassLoader)).isTrue();
		assertThat(threads("distlock-callback-", this.starterClassLoader)).isTrue();
		assertThat(Thread.getAllStackTraces().keySet()).filteredOn((thread) -> thread.getName().startsWith("distlock-"))
			.noneMatch((thread) -> thread.getContextClassLoader() == this.callerClassLoader);
		assertThat(this.tenantsOfListener).doesNotContain("alice", "starter");
	}

	private LockListener listener() {
		return new LockListener() {

			@Override
			public void onRenewed(Renewed event) {
				ThreadOriginTests.this.tenantsOfListener.add(String.valueOf(TENANT.get()));
			}

		};
	}

	private static boolean threads(String name, ClassLoader loader) {
		return Thread.getAllStackTraces()
			.keySet()
			.stream()
			.anyMatch((thread) -> thread.getName().startsWith(name) && thread.getContextClassLoader() == loader);
	}

	private static ClassLoader loader(String name) {
		return new URLClassLoader(name, new URL[0], ThreadOriginTests.class.getClassLoader());
	}

	private static <T> T as(String tenant, ClassLoader loader, Callable<T> call) throws Exception {
		FutureTask<T> task = new FutureTask<>(() -> {
			TENANT.set(tenant);
			return call.call();
		});
		Thread thread = new Thread(task, tenant);
		thread.setContextClassLoader(loader);
		thread.start();
		return task.get(60, TimeUnit.SECONDS);
	}

}
