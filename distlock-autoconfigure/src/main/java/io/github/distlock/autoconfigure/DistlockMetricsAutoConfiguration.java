package io.github.distlock.autoconfigure;

import io.github.distlock.aop.DistributedLockAdvisor;
import io.github.distlock.metrics.LockMetrics;
import io.github.distlock.transaction.CommitGuard;
import io.micrometer.core.instrument.MeterRegistry;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.SmartInitializingSingleton;
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

	private static final Log logger = LogFactory.getLog(DistlockMetricsAutoConfiguration.class);

	@Bean
	@ConditionalOnMissingBean
	LockMetrics distlockMetrics(MeterRegistry registry) {
		return new LockMetrics(registry);
	}

	/**
	 * Registers the meters that are known when all beans exist: those of the names in
	 * annotations, with the value zero, and the gauges of held locks.
	 */
	@Bean
	@Lazy(false)
	SmartInitializingSingleton distlockMeterRegistrar(LockMetrics metrics,
			ObjectProvider<DistributedLockAdvisor> advisors, ObjectProvider<BackendRegistries> registries,
			ObjectProvider<CommitGuard> guards) {
		return () -> {
			try {
				guards.ifAvailable((guard) -> guard.fence().ifPresent((fence) -> metrics.watchFence(fence.outcomes())));
				registries.ifAvailable((stores) -> stores.byName()
					.values()
					.forEach((store) -> metrics.watchHolds(store.description().name(), store::holdSummary)));
				advisors.ifAvailable(
						(advisor) -> advisor.forEachLock((name, registry) -> BackendRegistries.members(registry)
							.forEach((member) -> metrics.expect(name, member.description().name()))));
			}
			catch (RuntimeException ex) {
				logger.warn("Some meters of locks are registered with their first event and not before", ex);
			}
		};
	}

}
