package io.github.distlock.autoconfigure;

import io.github.distlock.aop.DistributedLockAdvisor;
import io.github.distlock.metrics.LockMetrics;
import io.github.distlock.registry.BackendLockRegistry;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.context.ApplicationListener;
import org.springframework.context.event.ContextRefreshedEvent;

/**
 * Registers the meters that are known when all beans exist: those of the names in
 * annotations, with the value zero, and the gauges of held locks.
 *
 * @param metrics the meters
 * @param advisors finds the advisor, which knows the annotations
 * @param registries finds the registries
 */
record LockMeterRegistrar(LockMetrics metrics, ObjectProvider<DistributedLockAdvisor> advisors,
		ObjectProvider<BackendRegistries> registries) implements ApplicationListener<ContextRefreshedEvent> {

	private static final Log logger = LogFactory.getLog(LockMeterRegistrar.class);

	/** Also called for child contexts, which does no harm. */
	@Override
	public void onApplicationEvent(ContextRefreshedEvent event) {
		try {
			this.registries.ifAvailable((stores) -> stores.byName().values().forEach(this::watch));
			this.advisors
				.ifAvailable((advisor) -> advisor.forEachLock((name, registry) -> RegistryFacts.members(registry)
					.forEach((member) -> this.metrics.expect(name, member.description().name()))));
		}
		catch (RuntimeException ex) {
			logger.warn("Some meters of locks are registered with their first event and not before", ex);
		}
	}

	private void watch(BackendLockRegistry registry) {
		this.metrics.watchHolds(registry.description().name(), registry::holdSummary);
	}

}
