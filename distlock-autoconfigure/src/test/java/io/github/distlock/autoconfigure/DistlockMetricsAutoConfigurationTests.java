package io.github.distlock.autoconfigure;

import java.util.concurrent.TimeUnit;

import io.github.distlock.DistributedLock;
import io.github.distlock.LockListener;
import io.github.distlock.LockRegistry;
import io.github.distlock.LockRequest;
import io.github.distlock.metrics.LockMetrics;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.junit.jupiter.api.Test;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Auto-configuration of the meters.
 */
class DistlockMetricsAutoConfigurationTests {

	private final ApplicationContextRunner application = Contexts.withRedis()
		.withBean("meters", MeterRegistry.class, SimpleMeterRegistry::new);

	private final ApplicationContextRunner local = Contexts.withoutRedis()
		.withPropertyValues("distlock.backend=local")
		.withConfiguration(AutoConfigurations.of(AopAutoConfiguration.class))
		.withBean("meters", MeterRegistry.class, SimpleMeterRegistry::new)
		.withBean(Work.class);

	@Test
	void theMetersOfAnnotatedMethodsExistFromTheStartAndCountItsEvents() {
		this.local.run((context) -> {
			MeterRegistry meters = context.getBean(MeterRegistry.class);
			assertThat(meters.get("distlock.lost").tags("name", "orders", "backend", "local").counter().count())
				.isZero();
			assertThat(meters.get("distlock.acquire").tags("name", "orders", "outcome", "timeout").timer().count())
				.isZero();
			assertThat(meters.get("distlock.at.risk").tag("backend", "local").gauge()).isNotNull();
			context.getBean(Work.class).order(() -> {
				assertThat(longest(meters, "orders")).isPositive();
				assertThat(meters.get("distlock.held").gauge().value()).isOne();
			});
			assertThat(meters.get("distlock.held").gauge().value()).isZero();
			assertThat(meters.get("distlock.hold").tag("name", "orders").timer().count()).isOne();
			assertThat(meters.get("distlock.acquire").tags("name", "orders", "outcome", "acquired").timer().count())
				.isOne();
		});
	}

	@Test
	void theNamesOfACompositeAreThoseOfItsStores() {
		this.local.withPropertyValues("distlock.backend=composite", "distlock.composite=local,redis")
			.withConfiguration(AutoConfigurations.of(DataRedisAutoConfiguration.class))
			.run((context) -> assertThat(context.getBean(MeterRegistry.class).get("distlock.lost").counters())
				.extracting((counter) -> counter.getId().getTag("backend"))
				.containsExactlyInAnyOrder("local", "redis"));
	}

	@Test
	void theGaugesShowTheLongestLockOfEachNameUntilTheRegistryIsShutDown() {
		this.local.withPropertyValues("distlock.shutdown-grace-period=0").run((context) -> {
			MeterRegistry meters = context.getBean(MeterRegistry.class);
			LockRegistry registry = context.getBean(LockRegistry.class);
			registry.acquire(LockRequest.of("order-1").name("orders"));
			long acquired = System.nanoTime();
			await().until(() -> System.nanoTime() - acquired > 50_000_000);
			registry.acquire(LockRequest.of("order-2").name("orders"));
			assertThat(longest(meters, "orders")).isGreaterThanOrEqualTo(50_000_000);
			context.getSourceApplicationContext().stop();
			assertThat(longest(meters, "orders")).isZero();
			assertThat(meters.get("distlock.at.risk").tag("backend", "local").gauge().value()).isZero();
		});
	}

	private static double longest(MeterRegistry meters, String name) {
		return meters.get("distlock.hold.longest")
			.tags("name", name, "backend", "local")
			.timeGauge()
			.value(TimeUnit.NANOSECONDS);
	}

	@Test
	void withSeveralMeterRegistriesAndNoPrimaryOneThereAreNoMetricsAndNoError() {
		this.application.withBean("others", MeterRegistry.class, SimpleMeterRegistry::new)
			.run((context) -> assertThat(context).hasSingleBean(LockRegistry.class).doesNotHaveBean(LockMetrics.class));
	}

	@Test
	void metricsOfTheApplicationReplaceTheDefault() {
		this.application.withBean("mine", LockMetrics.class, () -> new LockMetrics(new SimpleMeterRegistry()))
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

	static class Work {

		@DistributedLock(key = "'order-7'", name = "orders")
		public void order(Runnable body) {
			body.run();
		}

	}

}
