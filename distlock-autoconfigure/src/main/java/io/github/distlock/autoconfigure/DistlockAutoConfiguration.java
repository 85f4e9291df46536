package io.github.distlock.autoconfigure;

import io.github.distlock.LockListener;
import io.github.distlock.LockRegistry;
import io.github.distlock.backend.LockBackend;
import io.github.distlock.backend.TimeSource;
import io.github.distlock.registry.BackendLockRegistry;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;

/**
 * Auto-configuration of the {@link LockRegistry} over the one {@link LockBackend}. A
 * registry of the application's own replaces all of it.
 * <p>
 * With {@code distlock.enabled=true} a missing store is an error at start-up, whether or
 * not a lock is used yet: the first locked call in production is too late to hear of it.
 * With {@code distlock.enabled=false} there is a registry too, one that locks nothing, so
 * that an application which injects one starts without a store. The switch is no
 * condition but read at run time, since ahead-of-time processing freezes conditions.
 */
@AutoConfiguration(after = { DistlockRedisAutoConfiguration.class, DistlockMetricsAutoConfiguration.class })
@ConditionalOnMissingBean(LockRegistry.class)
@EnableConfigurationProperties(DistlockProperties.class)
public final class DistlockAutoConfiguration {

	@Bean
	LockRegistry distlockRegistry(DistlockProperties properties, ObjectProvider<LockBackend> backends,
			ObjectProvider<LockListener> listeners) {
		if (!properties.enabled()) {
			return new UnlockedRegistry();
		}
		BackendLockRegistry registry = new BackendLockRegistry(backend(backends), properties.toRegistrySettings(),
				listeners.orderedStream().toList(), TimeSource.SYSTEM);
		// Now, and not with the lifecycle: beans may lock while they are initialized.
		registry.start();
		return registry;
	}

	@Bean
	LockRegistryLifecycle distlockRegistryLifecycle(LockRegistry registry, DistlockProperties properties,
			ObjectProvider<LockBackend> backends, ObjectProvider<LockStoreLocation> locations) {
		return new LockRegistryLifecycle(registry, properties.failFast(), backends, locations);
	}

	private static LockBackend backend(ObjectProvider<LockBackend> backends) {
		LockBackend backend = backends.getIfAvailable();
		if (backend == null) {
			throw new LockStoreMissingException(
					"distlock has no lock store: there is none on the class path, and no LockBackend bean.", """
							Do one of these:
							- add the dependency io.github.distlock:distlock-spring-boot-starter, which brings Redis, \
							and set spring.data.redis.host
							- define a LockBackend bean of your own
							- set distlock.enabled=false to run without locks""");
		}
		return backend;
	}

}
