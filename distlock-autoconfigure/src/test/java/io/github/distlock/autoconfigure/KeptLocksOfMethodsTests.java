package io.github.distlock.autoconfigure;

import java.util.Objects;

import io.github.distlock.DistributedLock;
import io.github.distlock.LockNotAcquiredException;
import io.github.distlock.actuate.DistlocksEndpoint;
import io.github.distlock.actuate.LocksDescriptor;
import io.github.distlock.actuate.LocksDescriptor.RegistryDescriptor;
import io.github.distlock.testing.RedisNodes;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.actuate.endpoint.SecurityContext;

import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.test.util.TestPropertyValues;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * Annotated methods whose locks are kept, in two applications with one Redis.
 */
class KeptLocksOfMethodsTests {

	private static RedisNodes redis;

	private static ConfigurableApplicationContext one;

	private static ConfigurableApplicationContext two;

	@BeforeAll
	static void start() {
		redis = RedisNodes.start();
		one = application();
		two = application();
	}

	@AfterAll
	static void stop() {
		one.close();
		two.close();
		redis.close();
	}

	private static ConfigurableApplicationContext application(String... properties) {
		SpringApplication springApplication = new SpringApplication(Shop.class);
		springApplication.setWebApplicationType(WebApplicationType.NONE);
		springApplication.addInitializers((context) -> TestPropertyValues.of(properties).applyTo(context));
		return springApplication.run("--spring.data.redis.port=" + redis.server().port(),
				"--management.endpoints.web.exposure.include=distlocks",
				"--management.endpoint.distlocks.show-values=always");
	}

	private static RegistryDescriptor locks(ConfigurableApplicationContext application) {
		LocksDescriptor locks = (LocksDescriptor) application.getBean(DistlocksEndpoint.class)
			.locks(SecurityContext.NONE, null, null, null)
			.getBody();
		return Objects.requireNonNull(Objects.requireNonNull(locks).registries().get("redis"));
	}

	private static Accounts accounts(ConfigurableApplicationContext application) {
		return application.getBean(Accounts.class);
	}

	/** Call the method until its lock is kept: the inbox must have been confirmed. */
	private static void keep(ConfigurableApplicationContext application, String id) {
		await().until(() -> {
			accounts(application).book(id, () -> {
			});
			return locks(application).kept().stream().anyMatch((lock) -> lock.key().equals(id));
		});
	}

	@Test
	void theEndpointAndTheMetersShowAKeptLockWhichIsNotHeld() {
		keep(one, "shown");
		MeterRegistry meters = one.getBean(MeterRegistry.class);
		await().until(() -> {
			// The gauge is at most one second old, and a lock is kept for one second.
			accounts(one).book("shown", () -> {
			});
			return meters.get("distlock.kept").gauge().value() >= 1;
		});
		assertThat(meters.get("distlock.handoffs").tag("type", "kept").counter().count()).isPositive();
		assertThat(meters.get("distlock.held").gauge().value()).isZero();
		assertThat(locks(one).held()).isEmpty();
	}

	@Test
	void aLockWithALeaseTimeIsNotKeptIfTheNextLockOfTheCallIsBusy() {
		try (ConfigurableApplicationContext keeping = application("distlock.handoff.keep=1s")) {
			keep(keeping, "warm");
			accounts(two).book("b", () -> {
				assertThatExceptionOfType(LockNotAcquiredException.class)
					.isThrownBy(() -> accounts(keeping).transfer("a", "b"));
				assertThat(redis.isLocked("a")).isFalse();
			});
			assertThat(locks(keeping).kept()).noneMatch((lock) -> lock.key().equals("a"));
		}
	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration(exclude = DataSourceAutoConfiguration.class)
	static class Shop {

		@Bean
		Accounts accounts() {
			return new Accounts();
		}

		@Bean
		MeterRegistry meters() {
			return new SimpleMeterRegistry();
		}

	}

	static class Accounts {

		@DistributedLock(key = "#id", keep = "1s", waitTime = "20s")
		public void book(String id, Runnable work) {
			work.run();
		}

		@DistributedLock(key = "#from", leaseTime = "10s", waitTime = "0")
		@DistributedLock(key = "#to", leaseTime = "10s", waitTime = "0")
		public void transfer(String from, String to) {
		}

	}

}
