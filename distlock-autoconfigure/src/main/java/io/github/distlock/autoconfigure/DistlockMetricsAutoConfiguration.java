package io.github.distlock.autoconfigure;

import io.github.distlock.aop.DistributedLockAdvisor;
import io.github.distlock.metrics.LockMetrics;
import io.micrometer.core.instrument.MeterRegistry;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Lazy;

/**
 * Auto-configuration for the meters, if the application has a {@link MeterRegistry}.
 */
@AutoConfiguration(afterName = {
		"org.springframework.boot.micrometer.metrics.autoconfigure.CompositeMeterRegistryAutoConfiguration",
		"org.springframework.boot.actuate.autoconfigure.metrics.CompositeMeterRegistryAutoConfiguration" })
@ConditionalOnClass(MeterRegistry.class)
@ConditionalOnSingleCandidate(MeterRegistry.class)
public final class DistlockMetricsAutoConfiguration {

	@Bean
	@ConditionalOnMissingBean
	LockMetrics distlockMetrics(MeterRegistry registry) {
		return new LockMetrics(registry);
	}

	@Bean
	@Lazy(false)
	LockMeterRegistrar distlockMeterRegistrar(LockMetrics metrics, ObjectProvider<DistributedLockAdvisor> advisors,
			ObjectProvider<BackendRegistries> registries) {
		return new LockMeterRegistrar(metrics, advisors, registries);
	}

}
