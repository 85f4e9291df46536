package io.github.distlock.autoconfigure;

import java.time.Duration;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import io.github.distlock.HeldLock;
import io.github.distlock.LockBackendException;
import io.github.distlock.LockRegistry;
import io.github.distlock.LockRequest;
import io.github.distlock.backend.LockBackend;
import io.github.distlock.backend.zookeeper.ZooKeeperLockBackend;
import io.github.distlock.testing.LoggedProblems;
import io.github.distlock.testing.ZooKeeperTestServer;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.imps.CuratorFrameworkState;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

import org.springframework.boot.test.context.runner.ApplicationContextRunner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

/**
 * An application that keeps its locks in ZooKeeper.
 */
class ZooKeeperStoreTests {

	@AutoClose
	private static final ZooKeeperTestServer server = ZooKeeperTestServer.start();

	private final ApplicationContextRunner context = Contexts.withoutRedis()
		.withPropertyValues("distlock.backend=zookeeper", "distlock.zookeeper.root=/shop/locks");

	@Test
	void aClientIsCreatedFromTheProperties() {
		this.context
			.withPropertyValues("distlock.zookeeper.connect-string=" + server.connectString(),
					"distlock.fail-fast=true")
			.run((started) -> {
				assertThat(started).hasNotFailed().doesNotHaveBean(CuratorFramework.class);
				LockBackend backend = started.getBean(LockBackend.class);
				assertThat(backend).isInstanceOf(ZooKeeperLockBackend.class);
				assertThat(backend.description().tokensPerGrant()).isEqualTo(64);
				try (HeldLock lock = started.getBean(LockRegistry.class).acquire(LockRequest.of("order-1"));
						CuratorFramework admin = ZooKeeperTestServer.client(server.connectString(),
								Duration.ofSeconds(5))) {
					admin.start();
					admin.blockUntilConnected();
					assertThat(lock.isHeld()).isTrue();
					assertThat(admin.getChildren().forPath("/shop/locks/order-1")).hasSize(1);
				}
			});
	}

	@Test
	void theApplicationsOwnClientIsUsedAndLeftOpen() {
		try (CuratorFramework owner = client()) {
			owner.start();
			this.context
				.withBean("curator", CuratorFramework.class, () -> owner, (bean) -> bean.setDestroyMethodName(""))
				.run((started) -> {
					try (HeldLock lock = started.getBean(LockRegistry.class).acquire(LockRequest.of("order-2"))) {
						assertThat(lock.isHeld()).isTrue();
						assertThat(owner.getChildren().forPath("/shop/locks/order-2")).hasSize(1);
					}
				});
			assertThat(owner.getState()).isEqualTo(CuratorFrameworkState.STARTED);
		}
	}

	@Test
	void aMissingChrootFailsACallAtOnceWithoutAnyLogLine() {
		Logger curator = (Logger) LoggerFactory.getLogger("org.apache.curator");
		curator.setLevel(Level.WARN);
		try (LoggedProblems problems = new LoggedProblems()) {
			this.context
				.withPropertyValues("distlock.zookeeper.connect-string=" + server.connectString() + "/missing/app",
						"distlock.backend-timeout=10m", "distlock.shutdown-grace-period=0s")
				.run((started) -> {
					LockRequest request = LockRequest.of("order-3").waitTime(Duration.ofMinutes(5));
					assertTimeoutPreemptively(Duration.ofMinutes(1),
							() -> assertThatExceptionOfType(LockBackendException.class)
								.isThrownBy(() -> started.getBean(LockRegistry.class).acquire(request))
								.withMessageContainingAll(
										"The chroot '/missing/app' of the connect string does not exist",
										"Create this node"));
					assertThat(problems.lines()).isEmpty();
				});
		}
		finally {
			curator.setLevel(Level.OFF);
		}
	}

	@Test
	void aMissingChrootThatIsCreatedLaterIsUsed() {
		this.context
			.withPropertyValues("distlock.zookeeper.connect-string=" + server.connectString() + "/later",
					"distlock.shutdown-grace-period=0s")
			.run((started) -> {
				LockRegistry registry = started.getBean(LockRegistry.class);
				assertThatExceptionOfType(LockBackendException.class)
					.isThrownBy(() -> registry.acquire(LockRequest.of("order-4")))
					.withMessageContaining("/later");
				try (CuratorFramework owner = client()) {
					owner.start();
					owner.blockUntilConnected();
					owner.create().forPath("/later");
				}
				try (HeldLock lock = registry.acquire(LockRequest.of("order-4"))) {
					assertThat(lock.isHeld()).isTrue();
				}
			});
	}

	@Test
	void severalClientsNeedAPrimaryOne() {
		Contexts.assertRefused(this.context.withBean("one", CuratorFramework.class, ZooKeeperStoreTests::client)
			.withBean("two", CuratorFramework.class, ZooKeeperStoreTests::client), "one,two");
	}

	private static CuratorFramework client() {
		return ZooKeeperTestServer.client(server.connectString(), Duration.ofSeconds(5));
	}

}
