package io.github.distlock.autoconfigure;

import java.util.Map;

import io.github.distlock.LockRegistry;
import io.github.distlock.actuate.DistlockHealthIndicator;
import io.github.distlock.registry.BackendLockRegistry;

import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.health.autoconfigure.contributor.ConditionalOnEnabledHealthIndicator;
import org.springframework.boot.health.contributor.CompositeHealthContributor;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthContributor;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.context.annotation.Bean;

/**
 * Auto-configuration for the health component {@code distlock}, with an entry for each
 * store.
 */
@AutoConfiguration(after = DistlockAutoConfiguration.class)
@ConditionalOnClass({ HealthContributor.class, ConditionalOnEnabledHealthIndicator.class })
@ConditionalOnEnabledHealthIndicator("distlock")
@ConditionalOnBean(BackendRegistries.class)
public final class DistlockHealthAutoConfiguration {

	/**
	 * Injects the registries so that all stores are known.
	 */
	@Bean
	@ConditionalOnMissingBean(name = { "distlockHealthIndicator", "distlockHealthContributor" })
	HealthContributor distlockHealthContributor(Map<String, LockRegistry> registries, BackendRegistries stores) {
		Map<String, BackendLockRegistry> byName = stores.byName();
		if (byName.isEmpty()) {
			// Not a condition: distlock.enabled is read at run time.
			return (HealthIndicator) () -> Health.up().withDetail("locks", "disabled (distlock.enabled=false)").build();
		}
		return CompositeHealthContributor.fromMap(byName, DistlockHealthIndicator::new);
	}

}
