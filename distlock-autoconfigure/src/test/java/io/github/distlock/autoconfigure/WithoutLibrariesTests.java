package io.github.distlock.autoconfigure;

import java.util.function.Consumer;

import io.github.distlock.LockContext;
import io.github.distlock.LockRegistry;
import io.github.distlock.LockRequest;
import io.github.distlock.observation.LockObserver;
import io.github.distlock.testing.WithoutJars;
import org.junit.jupiter.api.Test;

import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ApplicationContext;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests that the actuator, SLF4J and Micrometer's observations are optional. The programs
 * run in class loaders of their own.
 */
class WithoutLibrariesTests {

	@Test
	void locksWorkWithoutTheActuator() throws Exception {
		WithoutJars.run(WithoutActuator.class, "spring-boot-actuator", "spring-boot-health");
	}

	@Test
	void locksWorkWithoutSlf4jAndObservations() throws Exception {
		WithoutJars.run(WithoutSlf4j.class, "slf4j", "logback", "micrometer-core", "micrometer-observation",
				"micrometer-jakarta9", "spring-boot-micrometer");
	}

	private static void lockWithout(Consumer<ApplicationContext> check, String... missing) {
		for (String type : missing) {
			assertThatExceptionOfType(ClassNotFoundException.class).isThrownBy(() -> Class.forName(type));
		}
		try (ConfigurableApplicationContext context = new SpringApplicationBuilder(Imports.class)
			.web(WebApplicationType.NONE)
			.run("--distlock.backend=local", "--distlock.logging.mdc=true", "--distlock.observations.section=true")) {
			check.accept(context);
			assertThat(context.getBean(LockRegistry.class)
				.<Integer>execute(LockRequest.of("order-7"), () -> LockContext.all().size())).isOne();
		}
		catch (Exception ex) {
			throw new IllegalStateException(ex);
		}
	}

	public static class WithoutActuator implements Runnable {

		@Override
		public void run() {
			lockWithout((context) -> {
			}, "org.springframework.boot.actuate.endpoint.annotation.Endpoint",
					"org.springframework.boot.health.contributor.HealthContributor");
		}

	}

	public static class WithoutSlf4j implements Runnable {

		@Override
		public void run() {
			lockWithout((context) -> assertThat(context.getBeansOfType(LockObserver.class)).isEmpty(), "org.slf4j.MDC",
					"io.micrometer.observation.ObservationRegistry");
		}

	}

	/** Imported, so that its conditions are read as those of an application are. */
	@Configuration(proxyBeanMethods = false)
	@ImportAutoConfiguration({ DistlockAopAutoConfiguration.class, DistlockAutoConfiguration.class,
			DistlockLocalAutoConfiguration.class, DistlockLoggingAutoConfiguration.class,
			DistlockMetricsAutoConfiguration.class, DistlockObservationAutoConfiguration.class,
			DistlockEndpointAutoConfiguration.class, DistlockHealthAutoConfiguration.class })
	static class Imports {

	}

}
