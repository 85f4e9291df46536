package io.github.distlock.autoconfigure;

import io.github.distlock.LockListener;
import io.github.distlock.LockRegistry;
import io.github.distlock.LockRequest;
import io.github.distlock.metrics.LockMetrics;
import io.github.distlock.testing.RedisTestServer;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.junit.jupiter.api.Test;

import org.springframework.boot.test.context.runner.ApplicationContextRunner;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Auto-configuration of the meters.
 */
class DistlockMetricsAutoConfigurationTests {

	private final ApplicationContextRunner application = Contexts.withRedis()
		.withBean("meters", MeterRegistry.class, SimpleMeterRegistry::new);

	@Test
	void theMetersOfTheStoreExistFromTheStart() {
		this.application.run((context) -> {
			MeterRegistry meters = context.getBean(MeterRegistry.class);
			assertThat(meters.get("distlock.held").tag("backend", "redis").gauge().value()).isZero();
			assertThat(meters.get("distlock.renewals").tag("backend", "redis").counters()).hasSize(3);
		});
	}

	@Test
	void theRegistryPublishesItsEventsToTheMeters() {
		try (RedisTestServer redis = RedisTestServer.start()) {
			this.application.withPropertyValues("spring.data.redis.port=" + redis.port()).run((context) -> {
				MeterRegistry meters = context.getBean(MeterRegistry.class);
				var lock = context.getBean(LockRegistry.class).acquire(LockRequest.of("order-1").name("orders"));
				assertThat(meters.get("distlock.held").gauge().value()).isOne();
				lock.close();
				assertThat(meters.get("distlock.held").gauge().value()).isZero();
				assertThat(meters.get("distlock.hold").tag("name", "orders").timer().count()).isOne();
				assertThat(meters.get("distlock.acquire").tags("name", "orders", "outcome", "acquired").timer().count())
					.isOne();
			});
		}
	}

	@Test
	void withSeveralMeterRegistriesAndNoPrimaryOneThereAreNoMetricsAndNoError() {
		this.application.withBean("others", MeterRegistry.class, SimpleMeterRegistry::new)
			.run((context) -> assertThat(context).hasSingleBean(LockRegistry.class).doesNotHaveBean(LockMetrics.class));
	}

	@Test
	void metricsOfTheApplicationReplaceTheDefault() {
		this.application.withBean("mine", LockMetrics.class, () -> new LockMetrics(new SimpleMeterRegistry(), "redis"))
			.run((context) -> assertThat(context).hasSingleBean(LockMetrics.class)
				.hasBean("mine")
				.getBean(LockListener.class)
				.isNotNull());
	}

	@Test
	void switchedOffNoStoreIsMeasured() {
		this.application.withPropertyValues("distlock.enabled=false").run((context) -> {
			assertThat(context).hasNotFailed();
			assertThat(context.getBean(MeterRegistry.class).getMeters()).isEmpty();
		});
	}

}
