package io.github.distlock.autoconfigure;

import java.util.List;
import java.util.function.Supplier;

import io.github.distlock.LockFailureHandler;
import io.github.distlock.LockListener;
import io.github.distlock.LockRegistry;
import io.github.distlock.aop.AopMode;
import io.github.distlock.aop.DistributedLockAdvisor;
import io.github.distlock.aop.LockProxyRegistrar;
import io.github.distlock.aop.LockRuntime;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.Role;
import org.springframework.core.env.Environment;
import org.springframework.util.function.SingletonSupplier;

/**
 * Auto-configuration of {@link io.github.distlock.DistributedLock @DistributedLock}. The
 * advisor comes before all other beans, so everything that it works with is looked up
 * when the first locked method is called, and its mode and order are read from the
 * environment.
 */
@AutoConfiguration
@Import(LockProxyRegistrar.class)
@EnableConfigurationProperties(DistlockProperties.class)
public final class DistlockAopAutoConfiguration {

	@Bean
	@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
	@ConditionalOnMissingBean
	static DistributedLockAdvisor distributedLockAdvisor(ConfigurableBeanFactory beanFactory, Environment environment,
			ObjectProvider<DistlockProperties> properties, ObjectProvider<LockRegistry> registry,
			ObjectProvider<LockListener> listeners, ObjectProvider<LockFailureHandler> failureHandler) {
		int order = Binder.get(environment)
			.bind("distlock.aop.order", Integer.class)
			.orElse(DistributedLockAdvisor.DEFAULT_ORDER);
		AopMode mode = Binder.get(environment).bind("distlock.aop.mode", AopMode.class).orElse(AopMode.PROXY);
		Supplier<DistlockProperties> known = SingletonSupplier.of(properties::getObject);
		Supplier<List<LockListener>> told = () -> listeners.orderedStream().toList();
		LockRuntime runtime = new LockRuntime(registry::getObject, told, () -> known.get().enabled(), RegistryFacts::of,
				() -> known.get().waitTime(), () -> known.get().transaction().onActive(),
				failureHandler::getIfAvailable);
		return new DistributedLockAdvisor(beanFactory, mode, order, runtime);
	}

}
