package io.github.distlock.autoconfigure;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import javax.sql.DataSource;

import io.github.distlock.DistributedLock;
import io.github.distlock.HeldLock;
import io.github.distlock.LockContext;
import io.github.distlock.LockFailureHandler;
import io.github.distlock.LockRegistry;
import io.github.distlock.LockRequest;
import io.github.distlock.aop.DistributedLockAdvisor;
import io.github.distlock.autoconfigure.DistlockAutoConfigurationTests.Recorder;
import io.github.distlock.registry.BackendLockRegistry;
import io.github.distlock.testing.RedisTestServer;
import io.github.distlock.testing.ZooKeeperTestServer;
import net.javacrumbs.shedlock.core.LockProvider;
import net.javacrumbs.shedlock.provider.redis.spring.RedisLockProvider;
import net.javacrumbs.shedlock.spring.annotation.EnableSchedulerLock;
import net.javacrumbs.shedlock.spring.annotation.SchedulerLock;
import org.apache.curator.framework.CuratorFramework;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.aop.config.AopConfigUtils;
import org.springframework.aop.framework.Advised;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.io.ClassPathResource;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.integration.jdbc.lock.DefaultLockRepository;
import org.springframework.integration.jdbc.lock.JdbcLockRegistry;
import org.springframework.integration.jdbc.lock.LockRepository;
import org.springframework.integration.redis.util.RedisLockRegistry;
import org.springframework.integration.zookeeper.lock.ZookeeperLockRegistry;
import org.springframework.jdbc.datasource.init.ResourceDatabasePopulator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.mockito.Mockito.mock;

/**
 * An application that also uses the lock registries of Spring Integration, under their
 * usual names, and ShedLock, and application contexts with a parent.
 */
class NeighbourTests {

	private final ApplicationContextRunner application = Contexts.withRedis()
		.withConfiguration(AutoConfigurations.of(DataSourceAutoConfiguration.class,
				DataSourceTransactionManagerAutoConfiguration.class))
		.withPropertyValues("spring.datasource.url=jdbc:h2:mem:" + UUID.randomUUID(), "distlock.jdbc.enabled=true",
				"distlock.zookeeper.enabled=true", "distlock.local.enabled=true", "distlock.composite=redis,jdbc");

	@Test
	void theRegistriesOfSpringIntegrationAndShedLockKeepTheirNamesAndWork() throws Exception {
		try (RedisTestServer redis = RedisTestServer.start();
				ZooKeeperTestServer zooKeeper = ZooKeeperTestServer.start();
				CuratorFramework curator = ZooKeeperTestServer.client(zooKeeper.connectString(),
						Duration.ofSeconds(5))) {
			curator.start();
			this.application.withPropertyValues("spring.data.redis.port=" + redis.port())
				.withBean("curator", CuratorFramework.class, () -> curator)
				.withUserConfiguration(Neighbours.class)
				.withBean(Work.class)
				.run((context) -> {
					assertThat(context).hasNotFailed();
					assertThat(context).getBean("redisLockRegistry").isInstanceOf(RedisLockRegistry.class);
					assertThat(context).getBean("jdbcLockRegistry").isInstanceOf(JdbcLockRegistry.class);
					assertThat(context).getBean("zookeeperLockRegistry").isInstanceOf(ZookeeperLockRegistry.class);
					Work work = context.getBean(Work.class);
					assertThat(Stream.of(work.redis(), work.jdbc(), work.zookeeper(), work.both()))
						.containsExactly("shared", "shared", "shared", "shared");
					assertThat(work.scheduled()).contains("shedlock");
					assertThat(List.of(context.getBean(RedisLockRegistry.class),
							context.getBean(JdbcLockRegistry.class), context.getBean(ZookeeperLockRegistry.class)))
						.allSatisfy((registry) -> {
							assertThat(registry.obtain("theirs").tryLock(1, TimeUnit.MINUTES)).isTrue();
							registry.obtain("theirs").unlock();
						});
				});
		}
	}

	@Test
	void allBeansOfTheLibraryHaveItsPrefix() throws Exception {
		try (ZooKeeperTestServer zooKeeper = ZooKeeperTestServer.start()) {
			this.application
				.withPropertyValues("distlock.zookeeper.connect-string=" + zooKeeper.connectString(),
						"distlock.redlock.enabled=true")
				.withPropertyValues(IntStream.range(0, 3)
					.mapToObj((node) -> "distlock.redlock.nodes[" + node + "].url=redis://127.0.0.1:" + (node + 1))
					.toArray(String[]::new))
				.run((context) -> {
					assertThat(context).hasNotFailed();
					assertThat(libraryBeans(context)).hasSizeGreaterThan(20)
						.allMatch((name) -> name.startsWith("distlock") || name.startsWith("io.github.distlock."));
				});
		}
	}

	private static Stream<String> libraryBeans(ApplicationContext context) {
		return Stream.of(context.getBeanDefinitionNames()).filter((name) -> {
			Class<?> type = context.getType(name, false);
			return type != null && type.getName().startsWith("io.github.distlock.");
		});
	}

	static class Work {

		@DistributedLock(key = "'shared'")
		String redis() {
			return held();
		}

		@DistributedLock(key = "'shared'", registry = "jdbc")
		String jdbc() {
			return held();
		}

		@DistributedLock(key = "'shared'", registry = "zookeeper")
		String zookeeper() {
			return held();
		}

		@DistributedLock(key = "'shared'", registry = "composite")
		String both() {
			return held();
		}

		@SchedulerLock(name = "shedlock", lockAtMostFor = "1m")
		Optional<String> scheduled() {
			return Optional.of("shedlock");
		}

		static String held() {
			return LockContext.current().map(HeldLock::key).orElse("no lock");
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableSchedulerLock(defaultLockAtMostFor = "1m")
	static class Neighbours {

		@Bean
		RedisLockRegistry redisLockRegistry(RedisConnectionFactory connections) {
			return new RedisLockRegistry(connections, "integration");
		}

		@Bean
		DefaultLockRepository lockRepository(DataSource dataSource) {
			new ResourceDatabasePopulator(new ClassPathResource("org/springframework/integration/jdbc/schema-h2.sql"))
				.execute(dataSource);
			return new DefaultLockRepository(dataSource);
		}

		@Bean
		JdbcLockRegistry jdbcLockRegistry(LockRepository repository) {
			return new JdbcLockRegistry(repository);
		}

		@Bean
		ZookeeperLockRegistry zookeeperLockRegistry(CuratorFramework curator) {
			return new ZookeeperLockRegistry(curator);
		}

		@Bean
		LockProvider lockProvider(RedisConnectionFactory connections) {
			return new RedisLockProvider.Builder(connections).environment("shedlock").build();
		}

	}

	@Test
	void theChildUsesTheConnectionFactoryOfTheParent() {
		try (RedisTestServer server = RedisTestServer.start()) {
			parent(new ApplicationContextRunner()
				.withConfiguration(AutoConfigurations.of(DataRedisAutoConfiguration.class))
				.withPropertyValues("spring.data.redis.port=" + server.port()),
					Contexts.withRedis().withPropertyValues("distlock.fail-fast=true"));
		}
	}

	@Test
	void theChildUsesTheDataSourceOfTheParent() {
		parent(new ApplicationContextRunner()
			.withConfiguration(AutoConfigurations.of(DataSourceAutoConfiguration.class))
			.withPropertyValues("spring.datasource.url=jdbc:h2:mem:" + UUID.randomUUID()),
				Contexts.withoutRedis().withPropertyValues("distlock.backend=jdbc", "distlock.fail-fast=true"));
	}

	@Test
	void theChildUsesTheCuratorFrameworkOfTheParent() throws Exception {
		try (ZooKeeperTestServer server = ZooKeeperTestServer.start();
				CuratorFramework client = ZooKeeperTestServer.client(server.connectString(), Duration.ofSeconds(5))) {
			client.start();
			parent(new ApplicationContextRunner().withBean("curator", CuratorFramework.class, () -> client),
					Contexts.withoutRedis().withPropertyValues("distlock.backend=zookeeper"));
		}
	}

	private static void parent(ApplicationContextRunner parent, ApplicationContextRunner child) {
		parent.run((above) -> child.withParent(above).withBean(ParentWork.class).run((context) -> {
			assertThat(context).hasNotFailed();
			assertThat(context.getBean(ParentWork.class).key()).isEqualTo("order-1");
		}));
	}

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void aChildLocksItsBeansWithItsOwnBeans(boolean aspectJ) {
		ApplicationContextRunner application = Contexts.withoutRedis()
			.withConfiguration(aspectJ ? AutoConfigurations.of(AopAutoConfiguration.class) : AutoConfigurations.of())
			.withPropertyValues("distlock.backend=local", "distlock.wait-time=0");
		application.withBean(ParentWork.class).run((parent) -> {
			assertThat(parent).hasNotFailed();
			application.withParent(parent)
				.withBean("tenants", Tenants.class)
				.withBean(ChildWork.class)
				.withBean(Recorder.class)
				.withBean(LockFailureHandler.class, () -> (failure) -> "refused by the handler of the child")
				.run((child) -> {
					assertThat(child).hasNotFailed();
					assertThat(child.getBean(AopConfigUtils.AUTO_PROXY_CREATOR_BEAN_NAME).getClass().getName())
						.contains(aspectJ ? "AspectJ" : "Infrastructure");
					ChildWork work = child.getBean(ChildWork.class);
					assertThat(work.key()).isEqualTo("acme");
					await().untilAsserted(() -> assertThat(child.getBean(Recorder.class).heard).contains("acme"));
					assertThat(advisors(work)).containsExactly(child.getBean(DistributedLockAdvisor.class));
					try (HeldLock rival = Contexts.rival(child, "acme")) {
						assertThat(rival.isHeld()).isTrue();
						assertThat(work.key()).isEqualTo("refused by the handler of the child");
					}
				});
			assertThat(parent.getBean(ParentWork.class).key()).isEqualTo("order-1");
		});
	}

	@Test
	void parentAndChildExcludeEachOtherWithTheLocalBackend() {
		ApplicationContextRunner application = Contexts.local("distlock.wait-time=0");
		application.run((parent) -> application.withParent(parent).run((child) -> {
			LockRegistry above = parent.getBean(LockRegistry.class);
			assertThat(child.getBean(LockRegistry.class)).isNotSameAs(above);
			try (HeldLock held = above.acquire(LockRequest.of("one"))) {
				assertThat(held.isHeld()).isTrue();
				assertThat(child.getBean(LockRegistry.class).tryAcquire(LockRequest.of("one"))).isEmpty();
			}
			assertThat(child.getBean(LockRegistry.class).tryAcquire(LockRequest.of("one"))).isPresent();
		}));
	}

	@Test
	void aRegistryThatTheApplicationDefinesInTheParentDoesNotServeTheChild() {
		ApplicationContextRunner application = Contexts.local();
		new ApplicationContextRunner().withBean("mine", LockRegistry.class, () -> mock(LockRegistry.class))
			.run((parent) -> application.withParent(parent).withBean(ParentWork.class).run((child) -> {
				assertThat(child.getBean(LockRegistry.class)).isInstanceOf(BackendLockRegistry.class);
				assertThat(child.getBean(ParentWork.class).key()).isEqualTo("order-1");
			}));
	}

	private static List<Object> advisors(Object proxy) {
		return Stream.of(((Advised) proxy).getAdvisors())
			.filter(DistributedLockAdvisor.class::isInstance)
			.map(Object.class::cast)
			.toList();
	}

	static class ParentWork {

		@DistributedLock("'order-1'")
		public String key() {
			return Work.held();
		}

	}

	static class ChildWork {

		@DistributedLock("@tenants.name()")
		public String key() {
			return Work.held();
		}

	}

	public static class Tenants {

		public String name() {
			return "acme";
		}

	}

}
