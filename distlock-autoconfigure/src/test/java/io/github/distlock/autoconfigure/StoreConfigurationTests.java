package io.github.distlock.autoconfigure;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.Statement;
import java.time.Duration;
import java.util.UUID;
import java.util.stream.IntStream;

import javax.sql.DataSource;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import com.zaxxer.hikari.HikariDataSource;
import io.github.distlock.DistributedLock;
import io.github.distlock.HeldLock;
import io.github.distlock.LockBackendException;
import io.github.distlock.LockDefinitionException;
import io.github.distlock.LockException;
import io.github.distlock.LockRegistry;
import io.github.distlock.LockRequest;
import io.github.distlock.OnFailure;
import io.github.distlock.backend.LockBackend;
import io.github.distlock.backend.jdbc.JdbcBackend;
import io.github.distlock.backend.redlock.RedlockBackend;
import io.github.distlock.backend.zookeeper.ZooKeeperLockBackend;
import io.github.distlock.registry.BackendLockRegistry;
import io.github.distlock.testing.LoggedProblems;
import io.github.distlock.testing.RedisTestServer;
import io.github.distlock.testing.ZooKeeperTestServer;
import io.github.distlock.transaction.CommitGuard;
import io.github.distlock.transaction.CommitTerms;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.imps.CuratorFrameworkState;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.mockito.Answers;
import org.slf4j.LoggerFactory;

import org.springframework.boot.LazyInitializationBeanFactoryPostProcessor;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.metrics.DataSourcePoolMetricsAutoConfiguration;
import org.springframework.boot.micrometer.metrics.autoconfigure.MetricsAutoConfiguration;
import org.springframework.boot.micrometer.metrics.autoconfigure.export.simple.SimpleMetricsExportAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.ConnectionHolder;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;

import static io.github.distlock.testing.FlushedLog.flushed;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;
import static org.mockito.BDDMockito.given;
import static org.mockito.Mockito.mock;
import static org.springframework.test.jdbc.JdbcTestUtils.countRowsInTable;

/**
 * An application that keeps its locks in its database, in ZooKeeper, or on several Redis
 * masters, and what the start makes of {@code distlock.transaction.fence}.
 */
@ExtendWith(OutputCaptureExtension.class)
class StoreConfigurationTests {

	private static final Duration WAIT_TIME = Duration.ofMinutes(10);

	private static final String ANY_DATABASE = "spring.datasource.url=jdbc:h2:mem:";

	private final ApplicationContextRunner jdbc = Contexts.withoutRedis()
		.withConfiguration(AutoConfigurations.of(DataSourceAutoConfiguration.class))
		.withPropertyValues("distlock.backend=jdbc", ANY_DATABASE + UUID.randomUUID());

	@ParameterizedTest
	@ValueSource(strings = { "lease", "connection" })
	void theApplicationsDatabaseKeepsTheLocksOverAPoolOfTheirOwnThatIsNoBean(String mode) {
		this.jdbc.withPropertyValues("distlock.jdbc.mode=" + mode, "distlock.fail-fast=true").run((started) -> {
			HikariDataSource application = started.getBean(HikariDataSource.class);
			assertThat(started).hasSingleBean(DataSource.class);
			try (HeldLock lock = started.getBean(LockRegistry.class).acquire(LockRequest.of("order-1"))) {
				assertThat(lock.isHeld()).isTrue();
				assertThat(countRowsInTable(new JdbcTemplate(application), "distlock_lock")).isOne();
				try (Connection ignored = application.getConnection()) {
					assertThat(application.getHikariPoolMXBean().getActiveConnections()).isOne();
				}
			}
			assertThat(started.getBean(LockBackend.class)).isInstanceOfSatisfying(JdbcBackend.class,
					(backend) -> assertThat(backend.description().tokensPerGrant() == 1)
						.isEqualTo(mode.equals("connection")));
		});
	}

	@Test
	void aMissingTableFailsACallAtOnceWithOneLineInTheLog() {
		this.jdbc
			.withPropertyValues("distlock.jdbc.initialize-schema=never", "distlock.backend-timeout=10m",
					"distlock.shutdown-grace-period=0s")
			.run((started) -> {
				LockRegistry registry = started.getBean(LockRegistry.class);
				assertTimeoutPreemptively(Duration.ofSeconds(30),
						() -> assertThatThrownBy(() -> registry.acquire(LockRequest.of("order-1").waitTime(WAIT_TIME)))
							.isInstanceOf(LockBackendException.class)
							.hasMessageContainingAll("distlock_lock is missing", "initialize-schema=always")
							.hasMessageNotContainingAny("SELECT", "\n"));
			});
	}

	@ParameterizedTest
	@ValueSource(strings = { "lease", "connection" })
	void theApplicationStartsWhileItsDatabaseIsDown(String mode) {
		this.jdbc
			.withPropertyValues("spring.datasource.url=jdbc:postgresql://localhost:1/nowhere",
					"distlock.jdbc.mode=" + mode, "distlock.backend-timeout=5s")
			.run((started) -> {
				assertThat(started).hasNotFailed();
				LockRegistry registry = started.getBean(LockRegistry.class);
				// Before the first connection was refused, a call may have nothing to
				// report but the end of its time.
				await().untilAsserted(() -> assertThatThrownBy(
						() -> registry.acquire(LockRequest.of("order-1").waitTime(Duration.ZERO)))
					.isInstanceOf(LockBackendException.class)
					.hasMessageContaining("localhost:1 refused"));
			});
	}

	@Test
	void aDatabaseThatAcceptsConnectionsAndDoesNotAnswerDoesNotHoldTheStart() throws IOException {
		try (ServerSocket silent = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
			assertTimeoutPreemptively(Duration.ofMinutes(2),
					() -> this.jdbc
						.withPropertyValues(
								"spring.datasource.url=jdbc:postgresql://localhost:" + silent.getLocalPort() + "/shop")
						.run((started) -> assertThat(started).hasNotFailed()));
		}
	}

	@Test
	void theMetersOfSpringBootCoverThePoolOfTheLocks() {
		this.jdbc
			.withConfiguration(AutoConfigurations.of(MetricsAutoConfiguration.class,
					SimpleMetricsExportAutoConfiguration.class, DataSourcePoolMetricsAutoConfiguration.class))
			.run((started) -> {
				try (HeldLock lock = started.getBean(LockRegistry.class).acquire(LockRequest.of("order-1"))) {
					MeterRegistry meters = started.getBean(MeterRegistry.class);
					await().until(() -> meters.find("hikaricp.connections").tag("pool", "distlock").gauge() != null);
				}
			});
	}

	@Test
	void aWaitThatGetsNoConnectionSinceNestedLocksHaveThemAllIsNoLockInUse() {
		this.jdbc.withUserConfiguration(Waiting.class)
			.withPropertyValues("distlock.jdbc.mode=connection", "distlock.jdbc.max-connections=2",
					"distlock.wait-time=2s")
			.run((started) -> {
				LockRegistry registry = started.getBean(LockRegistry.class);
				Waiting waiting = started.getBean(Waiting.class);
				try (HeldLock outer = registry.acquire(LockRequest.of("order-1"));
						HeldLock inner = registry.acquire(LockRequest.of("order-2"))) {
					assertThat(waiting.fallsBack()).contains("2 by held locks and 0 by waits",
							"distlock.jdbc.max-connections (2)");
					assertThatThrownBy(waiting::skips).isInstanceOf(LockBackendException.class);
				}
				assertThat(waiting.fallsBack()).isEqualTo("locked");
			});
	}

	@Test
	void oneOfSeveralDatabasesCanBeSelected() {
		ApplicationContextRunner two = this.jdbc
			.withBean("orders", DataSource.class, () -> new DriverManagerDataSource("jdbc:h2:mem:orders"))
			.withBean("locks", DataSource.class,
					() -> new DriverManagerDataSource("jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1"));
		Contexts.assertRefused(two, "needs a DataSource bean, but there are several");
		two.withPropertyValues("distlock.jdbc.data-source=locks", "distlock.fail-fast=true").run((started) -> {
			try (HeldLock lock = started.getBean(LockRegistry.class).acquire(LockRequest.of("order-1"))) {
				assertThat(lock.isHeld()).isTrue();
				JdbcTemplate locks = new JdbcTemplate(started.getBean("locks", DataSource.class));
				assertThat(countRowsInTable(locks, "distlock_lock")).isOne();
			}
		});
	}

	@Test
	void theTableMayHaveAnotherName() {
		this.jdbc
			.withPropertyValues("distlock.jdbc.table-prefix=orders_", "distlock.jdbc.schema=PUBLIC",
					"distlock.fail-fast=true")
			.run((started) -> {
				LockRegistry registry = started.getBean(LockRegistry.class);
				JdbcTemplate jdbc = new JdbcTemplate(started.getBean(DataSource.class));
				try (HeldLock lock = registry.acquire(LockRequest.of("order-1"))) {
					assertThat(lock.isHeld()).isTrue();
					assertThat(countRowsInTable(jdbc, "PUBLIC.orders_lock")).isOne();
				}
				assertThat(jdbc.queryForList("SHOW TABLES").toString()).containsIgnoringCase("orders_lock")
					.doesNotContainIgnoringCase("distlock_");
			});
	}

	@Test
	void switchedOffItDoesNotUseTheDatabase() {
		this.jdbc.withPropertyValues("distlock.enabled=false", ANY_DATABASE + "x;INIT=RUNSCRIPT FROM 'nowhere'")
			.run((started) -> assertThat(started).hasNotFailed());
	}

	static class Waiting {

		@DistributedLock(key = "'free'", onFailure = OnFailure.SKIP)
		public void skips() {
		}

		@DistributedLock(key = "'free'", fallback = "down")
		public String fallsBack() {
			return "locked";
		}

		String down(LockException problem) {
			return String.valueOf(problem.getMessage());
		}

	}

	@AutoClose
	private static final ZooKeeperTestServer server = ZooKeeperTestServer.start();

	private final ApplicationContextRunner zooKeeper = Contexts.withoutRedis()
		.withPropertyValues("distlock.backend=zookeeper", "distlock.zookeeper.root=/shop/locks");

	@Test
	void aClientIsCreatedFromTheProperties() {
		this.zooKeeper
			.withPropertyValues("distlock.zookeeper.connect-string=" + server.connectString(),
					"distlock.fail-fast=true")
			.run((started) -> {
				assertThat(started).hasNotFailed().doesNotHaveBean(CuratorFramework.class);
				LockBackend backend = started.getBean(LockBackend.class);
				assertThat(backend).isInstanceOf(ZooKeeperLockBackend.class);
				assertThat(backend.description().tokensPerGrant()).isEqualTo(64);
				try (HeldLock lock = started.getBean(LockRegistry.class).acquire(LockRequest.of("order-1"));
						CuratorFramework admin = client()) {
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
			this.zooKeeper
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
			this.zooKeeper
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
		this.zooKeeper
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
		Contexts.assertRefused(this.zooKeeper.withBean("one", CuratorFramework.class, StoreConfigurationTests::client)
			.withBean("two", CuratorFramework.class, StoreConfigurationTests::client), "one,two");
	}

	private static CuratorFramework client() {
		return ZooKeeperTestServer.client(server.connectString(), Duration.ofSeconds(5));
	}

	@AutoClose
	private static final RedisTestServer first = RedisTestServer.start();

	@AutoClose
	private static final RedisTestServer second = RedisTestServer.start("requirepass secret");

	@AutoClose
	private static final RedisTestServer third = RedisTestServer.start();

	private final ApplicationContextRunner redlock = Contexts.withRedis()
		.withPropertyValues("distlock.backend=redlock", "distlock.lease-time=900ms", "distlock.wait-time=20s",
				"distlock.redlock.longest-lease=1s", "distlock.redlock.node-timeout=290ms");

	@Test
	void locksAreAcquiredOnTheConfiguredNodes() {
		this.redlock
			.withPropertyValues("distlock.redlock.nodes[0].host=127.0.0.1",
					"distlock.redlock.nodes[0].port=" + first.port(),
					"distlock.redlock.nodes[1].url=redis://:secret@127.0.0.1:" + second.port(),
					"distlock.redlock.nodes[2].host=127.0.0.1", "distlock.redlock.nodes[2].port=" + third.port())
			.run((context) -> {
				assertThat(context.getBean(LockBackend.class)).isInstanceOf(RedlockBackend.class);
				LockRegistry registry = context.getBean(LockRegistry.class);
				// The servers must first have been running for the longest lease.
				await().ignoreExceptionsInstanceOf(LockException.class).untilAsserted(() -> {
					try (HeldLock lock = registry.acquire(LockRequest.of("order-1"));
							HeldLock other = registry.acquire(LockRequest.of("order-2"))) {
						assertThat(lock.isHeld() && other.isHeld()).isTrue();
					}
				});
				assertThat(((BackendLockRegistry) registry).store().location()).contains("127.0.0.1:" + second.port())
					.doesNotContain("secret");
			});
	}

	@ParameterizedTest
	@CsvSource({ "'a,b', distlock.backend=redlock, distlock.redlock.nodes, three",
			"'a,b,A', distlock.backend=redlock, distlock.redlock.nodes[2], vote twice",
			"'a,b', distlock.redlock.nodes[2].port=1, distlock.redlock.nodes[2], neither host nor url",
			"'a,b', distlock.redlock.nodes[2].url=http://:secret@c, distlock.redlock.nodes[2].url, is not the URL of a Redis master",
			"'a,b,c', distlock.redlock.longest-lease=904ms, distlock.redlock.longest-lease, 905ms" })
	void aWrongConfigurationIsRefusedWithoutShowingAPassword(String nodes, String property, String name,
			String problem) {
		this.redlock.withPropertyValues(hosts(nodes.split(",")))
			.withPropertyValues(property)
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.hasMessageContainingAll(name, problem)
				.hasMessageNotContaining("secret"));
	}

	@Test
	void aListOfUrlsIsEnough() {
		this.redlock.withPropertyValues("distlock.redlock.nodes=redis://:secret@a:1,redis://b:2,redis://c:3")
			.run((context) -> assertThat(context.getBean(RedlockStoreProperties.class).nodes())
				.extracting(RedlockStoreProperties.Node::url)
				.containsExactly("redis://:secret@a:1", "redis://b:2", "redis://c:3"));
	}

	@Test
	void anEvenNumberOfNodesCausesAWarning(CapturedOutput output) {
		this.redlock.withPropertyValues(hosts("127.0.0.1", "127.0.0.2", "127.0.0.3", "127.0.0.4")).run((context) -> {
			assertThat(context).hasNotFailed();
			assertThat(flushed(output)).containsOnlyOnce("survives the loss of as many nodes");
		});
	}

	@Test
	void anExplicitLeaseThatIsLongerNamesTheProperty() {
		this.redlock.withPropertyValues(hosts("127.0.0.1", "127.0.0.2", "127.0.0.3")).run((context) -> {
			LockRegistry registry = context.getBean(LockRegistry.class);
			LockRequest request = LockRequest.of("order-1").leaseTime(Duration.ofSeconds(2)).waitTime(Duration.ZERO);
			assertThatExceptionOfType(LockDefinitionException.class).isThrownBy(() -> registry.acquire(request))
				.withMessageContaining("distlock.redlock.longest-lease");
		});
	}

	private static String[] hosts(String... hosts) {
		return IntStream.range(0, hosts.length)
			.mapToObj((i) -> "distlock.redlock.nodes[" + i + "].host=" + hosts[i])
			.toArray(String[]::new);
	}

	private final ApplicationContextRunner fenced = Contexts.withoutRedis()
		.withConfiguration(
				AutoConfigurations.of(DataSourceAutoConfiguration.class, DistlockMetricsAutoConfiguration.class))
		.withBean(MeterRegistry.class, SimpleMeterRegistry::new)
		.withPropertyValues("distlock.backend=local", "distlock.transaction.fence=true",
				"spring.datasource.url=jdbc:h2:mem:" + UUID.randomUUID());

	private ApplicationContextRunner withManager() {
		return this.fenced
			.withConfiguration(AutoConfigurations.of(DataSourceTransactionManagerAutoConfiguration.class));
	}

	@Test
	void theTableIsMadeAndThePropertiesOfTheLockTableNameIt() {
		withManager().withPropertyValues("distlock.jdbc.table-prefix=shop_").run((context) -> {
			assertThat(context).hasNotFailed();
			assertThat(new JdbcTemplate(context.getBean(DataSource.class))
				.queryForObject("SELECT count(*) FROM shop_fence", Integer.class)).isZero();
			assertThat(context.getBean(JdbcTransactionManager.class).getTransactionExecutionListeners()).hasSize(2);
			assertThat(context.getBean(MeterRegistry.class).get("distlock.fence").functionCounters()).hasSize(3);
		});
	}

	@ParameterizedTest
	@CsvSource({ "distlock.enabled=false, 0", "distlock.transaction.fence=false, 1",
			"distlock.transaction.commit-guard=false, 1" })
	void itIsIndependentOfTheGuard(String property, int listeners) {
		withManager().withPropertyValues(property)
			.run((context) -> assertThat(
					context.getBean(JdbcTransactionManager.class).getTransactionExecutionListeners())
				.hasSize(listeners));
	}

	@Test
	void aManagerThatIsCreatedLazilyIsFenced() {
		withManager().withBean(LazyInitializationBeanFactoryPostProcessor.class)
			.run((context) -> assertThat(context).hasNotFailed());
	}

	@Test
	void aGuardOfTheApplicationWithoutTheFenceFailsTheStart() {
		Contexts.assertRefused(
				withManager().withBean(CommitGuard.class,
						() -> new CommitGuard(() -> new CommitTerms(true, Duration.ZERO))),
				"CommitGuard of the application");
	}

	@Test
	void aDatabaseThatIsNotSupportedFailsTheStartIfThereIsNoOther() throws Exception {
		DataSource oracle = mock(DataSource.class, Answers.RETURNS_DEEP_STUBS);
		given(oracle.getConnection().getMetaData().getDatabaseProductName()).willReturn("Oracle");
		Contexts.assertRefused(withManager().withBean(DataSource.class, () -> oracle), "is not supported");
	}

	@Test
	void withoutSpringJdbcTheStartSaysSo() {
		Contexts.assertRefused(withManager().withClassLoader(new FilteredClassLoader(ConnectionHolder.class)),
				"distlock.transaction.fence is true, but spring-jdbc is missing");
	}

	@Test
	void withoutAManagerThatCanBeFencedTheStartFails() {
		Contexts.assertRefused(
				this.fenced.withBean(PlatformTransactionManager.class, () -> mock(PlatformTransactionManager.class)),
				"no transaction manager can be fenced", "distlock.transaction.fence=false");
	}

	@Test
	void theStartSaysWhyTheTableWasNotMade() throws Exception {
		String url = "jdbc:h2:mem:" + UUID.randomUUID();
		try (Connection owner = DriverManager.getConnection(url); Statement statement = owner.createStatement()) {
			statement.execute("CREATE USER seller PASSWORD ''");
			Contexts.assertRefused(withManager().withPropertyValues("spring.datasource.url=" + url,
					"spring.datasource.username=seller", "distlock.transaction.fence-managers=transactionManager"),
					"its creation at the start has failed", "rights");
		}
	}

	@Test
	void aManagerThatMustBeFencedFailsTheStart() {
		ApplicationContextRunner never = withManager().withPropertyValues("distlock.jdbc.initialize-schema=never");
		Contexts.assertRefused(never.withPropertyValues("distlock.transaction.fence-managers=transactionManager"),
				"'transactionManager'", "fence-<database>.sql");
		never.run((context) -> assertThat(context).hasNotFailed());
	}

}
