package io.github.distlock.autoconfigure;

import io.github.distlock.LockRegistry;
import io.github.distlock.integration.IntegrationLockRegistry;

import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.context.annotation.Bean;
import org.springframework.integration.support.locks.DefaultLockRegistry;

/**
 * Auto-configuration for the lock registry of Spring Integration, over the primary
 * {@link LockRegistry} of the application.
 */
@AutoConfiguration(after = DistlockAutoConfiguration.class)
@ConditionalOnClass(org.springframework.integration.support.locks.LockRegistry.class)
@ConditionalOnSingleCandidate(LockRegistry.class)
public final class DistlockIntegrationAutoConfiguration {

	/**
	 * Locks that are switched off exclude the threads of this JVM, as those of Spring
	 * Integration's default registry do.
	 */
	@Bean
	@ConditionalOnMissingBean(org.springframework.integration.support.locks.LockRegistry.class)
	IntegrationLockRegistry distlockIntegrationLockRegistry(LockRegistry registry) {
		return new IntegrationLockRegistry((registry instanceof UnlockedRegistry)
				? new UnlockedRegistry(new DefaultLockRegistry()::obtain) : registry);
	}

}
