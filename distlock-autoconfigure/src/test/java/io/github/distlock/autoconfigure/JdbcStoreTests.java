package io.github.distlock.autoconfigure;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.sql.Connection;
import java.time.Duration;
import java.util.UUID;

import javax.sql.DataSource;

import com.zaxxer.hikari.HikariDataSource;
import io.github.distlock.DistributedLock;
import io.github.distlock.HeldLock;
import io.github.distlock.LockBackendException;
import io.github.distlock.LockException;
import io.github.distlock.LockRegistry;
import io.github.distlock.LockRequest;
import io.github.distlock.OnFailure;
import io.github.distlock.backend.LockBackend;
import io.github.distlock.backend.jdbc.JdbcBackend;
import io.micrometer.core.instrument.MeterRegistry;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.metrics.DataSourcePoolMetricsAutoConfiguration;
import org.springframework.boot.micrometer.metrics.autoconfigure.MetricsAutoConfiguration;
import org.springframework.boot.micrometer.metrics.autoconfigure.export.simple.SimpleMetricsExportAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DriverManagerDataSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

/**
 * An application that keeps its locks in its database.
 */
class JdbcStoreTests {

	private static final Duration WAIT_TIME = Duration.ofMinutes(10);

	private static final String ANY_DATABASE = "spring.datasource.url=jdbc:h2:mem:";

	private final ApplicationContextRunner context = Contexts.withoutRedis()
		.withConfiguration(AutoConfigurations.of(DataSourceAutoConfiguration.class))
		.withPropertyValues("distlock.backend=jdbc", ANY_DATABASE + UUID.randomUUID());

	@ParameterizedTest
	@ValueSource(strings = { "lease", "connection" })
	void theApplicationsDatabaseKeepsTheLocksOverAPoolOfTheirOwnThatIsNoBean(String mode) {
		this.context.withPropertyValues("distlock.jdbc.mode=" + mode, "distlock.fail-fast=true").run((started) -> {
			HikariDataSource application = started.getBean(HikariDataSource.class);
			assertThat(started).hasSingleBean(DataSource.class);
			try (HeldLock lock = started.getBean(LockRegistry.class).acquire(LockRequest.of("order-1"))) {
				assertThat(lock.isHeld()).isTrue();
				assertThat(new JdbcTemplate(application).queryForObject("SELECT COUNT(*) FROM distlock_lock",
						Integer.class))
					.isEqualTo(1);
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
		this.context
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
		this.context
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
					() -> this.context
						.withPropertyValues(
								"spring.datasource.url=jdbc:postgresql://localhost:" + silent.getLocalPort() + "/shop")
						.run((started) -> assertThat(started).hasNotFailed()));
		}
	}

	@Test
	void theMetersOfSpringBootCoverThePoolOfTheLocks() {
		this.context
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
		this.context.withUserConfiguration(Waiting.class)
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
		ApplicationContextRunner two = this.context
			.withBean("orders", DataSource.class, () -> new DriverManagerDataSource("jdbc:h2:mem:orders"))
			.withBean("locks", DataSource.class,
					() -> new DriverManagerDataSource("jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1"));
		Contexts.assertRefused(two, "needs a DataSource bean, but there are several");
		two.withPropertyValues("distlock.jdbc.data-source=locks", "distlock.fail-fast=true").run((started) -> {
			try (HeldLock lock = started.getBean(LockRegistry.class).acquire(LockRequest.of("order-1"))) {
				assertThat(lock.isHeld()).isTrue();
				assertThat(new JdbcTemplate(started.getBean("locks", DataSource.class))
					.queryForObject("SELECT COUNT(*) FROM distlock_lock", Integer.class)).isEqualTo(1);
			}
		});
	}

	@Test
	void theTableMayHaveAnotherName() {
		this.context
			.withPropertyValues("distlock.jdbc.table-prefix=orders_", "distlock.jdbc.schema=PUBLIC",
					"distlock.fail-fast=true")
			.run((started) -> {
				LockRegistry registry = started.getBean(LockRegistry.class);
				JdbcTemplate jdbc = new JdbcTemplate(started.getBean(DataSource.class));
				try (HeldLock lock = registry.acquire(LockRequest.of("order-1"))) {
					assertThat(lock.isHeld()).isTrue();
					assertThat(jdbc.queryForObject("SELECT COUNT(*) FROM PUBLIC.orders_lock", Integer.class))
						.isEqualTo(1);
				}
				assertThat(jdbc.queryForList("SHOW TABLES").toString()).containsIgnoringCase("orders_lock")
					.doesNotContainIgnoringCase("distlock_");
			});
	}

	@Test
	void switchedOffItDoesNotUseTheDatabase() {
		this.context.withPropertyValues("distlock.enabled=false", ANY_DATABASE + "x;INIT=RUNSCRIPT FROM 'nowhere'")
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

}
