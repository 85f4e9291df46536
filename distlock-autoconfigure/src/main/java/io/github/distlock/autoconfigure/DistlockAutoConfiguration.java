package io.github.distlock.autoconfigure;

import java.util.Map;

import io.github.distlock.LockListener;
import io.github.distlock.LockRegistry;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Import;

/**
 * Auto-configuration of a {@link LockRegistry} over each enabled store; that of the
 * default store is primary. A registry of the application's own replaces all of it.
 * <p>
 * With {@code distlock.enabled=true} a missing store is an error at start-up, whether or
 * not a lock is used yet: the first locked call in production is too late to hear of it.
 * With {@code distlock.enabled=false} there are registries too, which lock nothing, so
 * that an application which injects one starts without a store. The switch is no
 * condition but read at run time, since ahead-of-time processing freezes conditions.
 */
@AutoConfiguration(after = DistlockMetricsAutoConfiguration.class)
@Conditional(OnNoLockRegistryCondition.class)
@EnableConfigurationProperties(DistlockProperties.class)
@Import(LockRegistryRegistrar.class)
public final class DistlockAutoConfiguration {

	@Bean(BackendRegistries.BEAN_NAME)
	BackendRegistries distlockBackendRegistries(ConfigurableListableBeanFactory beanFactory,
			DistlockProperties properties, ObjectProvider<LockListener> listeners) {
		return new BackendRegistries(beanFactory, properties, listeners);
	}

	/** Asks for the registries, so that they are made before it starts, lazy ones too. */
	@Bean
	LockRegistryLifecycle distlockRegistryLifecycle(Map<String, LockRegistry> registries, BackendRegistries stores,
			DistlockProperties properties) {
		return new LockRegistryLifecycle(stores, properties.failFast());
	}

}
