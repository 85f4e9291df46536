package io.github.distlock.autoconfigure;

import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Stream;

import io.github.distlock.DistributedLock;
import io.github.distlock.HeldLock;
import io.github.distlock.LockContext;
import io.github.distlock.LockFailureHandler;
import io.github.distlock.LockListener;
import io.github.distlock.LockRegistry;
import io.github.distlock.LockRequest;
import io.github.distlock.aop.DistributedLockAdvisor;
import io.github.distlock.registry.BackendLockRegistry;
import io.github.distlock.testing.RedisTestServer;
import io.github.distlock.testing.ZooKeeperTestServer;
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
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.mockito.Mockito.mock;

/**
 * Application contexts with a parent.
 */
class ContextHierarchyTests {

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
		parent.run((above) -> child.withParent(above).withBean(Work.class).run((context) -> {
			assertThat(context).hasNotFailed();
			assertThat(context.getBean(Work.class).key()).isEqualTo("order-1");
		}));
	}

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void aChildLocksItsBeansWithItsOwnBeans(boolean aspectJ) {
		ApplicationContextRunner application = Contexts.withoutRedis()
			.withConfiguration(aspectJ ? AutoConfigurations.of(AopAutoConfiguration.class) : AutoConfigurations.of())
			.withPropertyValues("distlock.backend=local", "distlock.wait-time=0");
		application.withBean(Work.class).run((parent) -> {
			assertThat(parent).hasNotFailed();
			application.withParent(parent)
				.withBean("tenants", Tenants.class)
				.withBean(ChildWork.class)
				.withBean(ChildListener.class)
				.withBean(LockFailureHandler.class, () -> (failure) -> "refused by the handler of the child")
				.run((child) -> {
					assertThat(child).hasNotFailed();
					assertThat(child.getBean(AopConfigUtils.AUTO_PROXY_CREATOR_BEAN_NAME).getClass().getName())
						.contains(aspectJ ? "AspectJ" : "Infrastructure");
					ChildWork work = child.getBean(ChildWork.class);
					assertThat(work.key()).isEqualTo("acme");
					await().untilAsserted(() -> assertThat(child.getBean(ChildListener.class).heard).contains("acme"));
					assertThat(advisors(work)).containsExactly(child.getBean(DistributedLockAdvisor.class));
					try (HeldLock rival = Contexts.rival(child, "acme")) {
						assertThat(rival.isHeld()).isTrue();
						assertThat(work.key()).isEqualTo("refused by the handler of the child");
					}
				});
			assertThat(parent.getBean(Work.class).key()).isEqualTo("order-1");
		});
	}

	@Test
	void parentAndChildExcludeEachOtherWithTheLocalBackend() {
		ApplicationContextRunner application = Contexts.withoutRedis()
			.withPropertyValues("distlock.backend=local", "distlock.wait-time=0");
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
		ApplicationContextRunner application = Contexts.withoutRedis().withPropertyValues("distlock.backend=local");
		new ApplicationContextRunner().withBean("mine", LockRegistry.class, () -> mock(LockRegistry.class))
			.run((parent) -> application.withParent(parent).withBean(Work.class).run((child) -> {
				assertThat(child.getBean(LockRegistry.class)).isInstanceOf(BackendLockRegistry.class);
				assertThat(child.getBean(Work.class).key()).isEqualTo("order-1");
			}));
	}

	private static List<Object> advisors(Object proxy) {
		return Stream.of(((Advised) proxy).getAdvisors())
			.filter(DistributedLockAdvisor.class::isInstance)
			.map(Object.class::cast)
			.toList();
	}

	static class Work {

		@DistributedLock("'order-1'")
		public String key() {
			return LockContext.current().map(HeldLock::key).orElse("no lock");
		}

	}

	static class ChildWork {

		@DistributedLock("@tenants.name()")
		public String key() {
			return LockContext.current().map(HeldLock::key).orElse("no lock");
		}

	}

	public static class Tenants {

		public String name() {
			return "acme";
		}

	}

	static class ChildListener implements LockListener {

		private final List<String> heard = new CopyOnWriteArrayList<>();

		@Override
		public void onReleased(Released event) {
			this.heard.add(event.key());
		}

	}

}
