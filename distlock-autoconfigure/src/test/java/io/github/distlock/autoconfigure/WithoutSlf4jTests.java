package io.github.distlock.autoconfigure;

import io.github.distlock.LockContext;
import io.github.distlock.LockRegistry;
import io.github.distlock.LockRequest;
import io.github.distlock.observation.LockObserver;
import io.github.distlock.testing.WithoutJars;
import org.junit.jupiter.api.Test;

import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests that SLF4J and Micrometer's observations are optional.
 */
class WithoutSlf4jTests {

	@Test
	void locksWorkWithoutSlf4jAndObservations() throws Exception {
		WithoutJars.run(Application.class, "slf4j", "logback", "micrometer-core", "micrometer-observation",
				"micrometer-jakarta9", "spring-boot-micrometer");
	}

	/**
	 * Runs in a class loader of its own.
	 */
	public static class Application implements Runnable {

		@Override
		public void run() {
			for (String missing : new String[] { "org.slf4j.MDC", "io.micrometer.observation.ObservationRegistry" }) {
				assertThatExceptionOfType(ClassNotFoundException.class).isThrownBy(() -> Class.forName(missing));
			}
			try (ConfigurableApplicationContext context = new SpringApplicationBuilder(Shop.class)
				.web(WebApplicationType.NONE)
				.run("--distlock.backend=local", "--distlock.logging.mdc=true",
						"--distlock.observations.section=true")) {
				assertThat(context.getBeansOfType(LockObserver.class)).isEmpty();
				assertThat(context.getBean(LockRegistry.class)
					.<Integer>execute(LockRequest.of("order-7"), () -> LockContext.all().size())).isOne();
			}
			catch (Exception ex) {
				throw new IllegalStateException(ex);
			}
		}

	}

	/** Imported, so that its conditions are read as those of an application are. */
	@Configuration(proxyBeanMethods = false)
	@ImportAutoConfiguration({ DistlockAopAutoConfiguration.class, DistlockAutoConfiguration.class,
			DistlockLocalAutoConfiguration.class, DistlockLoggingAutoConfiguration.class,
			DistlockMetricsAutoConfiguration.class, DistlockObservationAutoConfiguration.class })
	static class Shop {

	}

}
