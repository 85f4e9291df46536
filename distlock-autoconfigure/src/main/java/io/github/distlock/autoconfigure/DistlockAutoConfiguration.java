package io.github.distlock.autoconfigure;

import java.util.Map;

import io.github.distlock.LockListener;
import io.github.distlock.LockRegistry;
import io.github.distlock.aop.DistributedLockAdvisor;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

import org.springframework.beans.factory.BeanFactoryUtils;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Import;
import org.springframework.core.env.Environment;

/**
 * Auto-configuration for a {@link LockRegistry} for each enabled backend. The registry of
 * the default backend is primary. If the application defines a registry of its own, none
 * of these is created; if that one is primary, they are, and none of them is primary.
 * <p>
 * With {@code distlock.enabled=true}, a missing backend fails the startup even if no lock
 * is used yet: the first locked call in production would be too late to find out. With
 * {@code distlock.enabled=false}, there are registries too, but they lock nothing, so
 * that an application which injects a registry starts without a store. The switch is read
 * at run time and is not a condition, since ahead-of-time processing freezes conditions.
 */
@AutoConfiguration(after = DistlockMetricsAutoConfiguration.class)
@Conditional(NotReplacedCondition.class)
@EnableConfigurationProperties(DistlockProperties.class)
@Import(LockRegistryRegistrar.class)
public final class DistlockAutoConfiguration {

	private static final Log logger = LogFactory.getLog(DistlockAutoConfiguration.class);

	@Bean(BackendRegistries.BEAN_NAME)
	BackendRegistries distlockBackendRegistries(ConfigurableListableBeanFactory beanFactory,
			DistlockProperties properties, ObjectProvider<LockListener> listeners, Environment environment) {
		return new BackendRegistries(beanFactory, properties, listeners, environment);
	}

	/**
	 * Injects the registries so that they are created before the lifecycle starts, even
	 * if they are lazy.
	 */
	@Bean
	LockRegistryLifecycle distlockRegistryLifecycle(Map<String, LockRegistry> registries, BackendRegistries stores,
			DistlockProperties properties, ListableBeanFactory beans) {
		if (BeanFactoryUtils.beanNamesForTypeIncludingAncestors(beans, DistributedLockAdvisor.class, true,
				false).length == 0) {
			logger.warn("@DistributedLock has no effect, and annotated methods run without locks: the"
					+ " auto-configuration DistlockAopAutoConfiguration is excluded");
		}
		return new LockRegistryLifecycle(stores, properties.failFast(), properties.shutdownGracePeriod());
	}

}
