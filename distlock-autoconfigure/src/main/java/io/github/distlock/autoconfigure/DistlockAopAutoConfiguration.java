package io.github.distlock.autoconfigure;

import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.function.Supplier;

import io.github.distlock.LockFailureHandler;
import io.github.distlock.LockKeyPrefix;
import io.github.distlock.LockListener;
import io.github.distlock.LockRegistry;
import io.github.distlock.aop.AopMode;
import io.github.distlock.aop.DistributedLockAdvisor;
import io.github.distlock.aop.LockEnvironment;
import io.github.distlock.aop.LockHints;
import io.github.distlock.aop.LockProxyRegistrar;
import io.github.distlock.aop.WorkExecutor;
import io.github.distlock.observation.LockObserver;
import io.github.distlock.observation.LockObservers;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.SearchStrategy;
import org.springframework.boot.context.properties.ConfigurationPropertiesBindHandlerAdvisor;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.system.JavaVersion;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.ImportRuntimeHints;
import org.springframework.context.annotation.Role;
import org.springframework.core.env.Environment;
import org.springframework.util.StringUtils;

/**
 * Auto-configuration for {@link io.github.distlock.DistributedLock @DistributedLock}.
 * <p>
 * The advisor is created before all other beans. Everything it works with is therefore
 * looked up when the first locked method is called, and its mode and order are read from
 * the environment. Each context of a hierarchy has its own advisor with the same name,
 * which hides the advisor of the parent and finds the beans of its own context first.
 */
@AutoConfiguration
@Import(LockProxyRegistrar.class)
@ImportRuntimeHints({ NativeHints.class, LockHints.class })
@EnableConfigurationProperties(DistlockProperties.class)
public final class DistlockAopAutoConfiguration {

	@Bean
	@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
	@ConditionalOnMissingBean(search = SearchStrategy.CURRENT)
	static DistributedLockAdvisor distlockAdvisor(ConfigurableBeanFactory beanFactory, ListableBeanFactory beans,
			Environment environment, ObjectProvider<DistlockProperties> properties,
			ObjectProvider<LockListener> listeners) {
		int order = Binder.get(environment)
			.bind("distlock.aop.order", Integer.class)
			.orElse(DistributedLockAdvisor.DEFAULT_ORDER);
		AopMode mode = Binder.get(environment).bind("distlock.aop.mode", AopMode.class).orElse(AopMode.PROXY);
		Supplier<DistlockProperties> cachedProperties = LockEnvironment.cached(properties::getObject);
		LockEnvironment runtime = new LockEnvironment(beans.getBeanProvider(LockRegistry.class)::getObject,
				() -> listeners.orderedStream().toList(),
				LockEnvironment.cached(() -> cachedProperties.get().enabled()), BackendRegistries::facts,
				() -> cachedProperties.get().waitTime(), () -> cachedProperties.get().transaction().onActive(),
				beans.getBeanProvider(LockFailureHandler.class)::getIfAvailable,
				LockEnvironment.cached(() -> WorkExecutor.of(virtualThreads(environment),
						executor(beans, cachedProperties.get().aop().executor()), beanFactory.getBeanClassLoader())),
				new LockObservers(beans.getBeanProvider(LockObserver.class)::getIfAvailable), LockEnvironment
					.cached(() -> Optional.ofNullable(beans.getBeanProvider(LockKeyPrefix.class).getIfAvailable())));
		return new DistributedLockAdvisor(beanFactory, mode, order, runtime);
	}

	/** Defined here because this configuration is part of every application. */
	@Bean
	@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
	static ConfigurationPropertiesBindHandlerAdvisor distlockDurationUnits(Environment environment) {
		return (handler) -> new DurationUnitBindHandler(handler, environment);
	}

	/** Spring Boot's own check is in another package before 4.0. */
	private static boolean virtualThreads(Environment environment) {
		return environment.getProperty("spring.threads.virtual.enabled", boolean.class, false)
				&& JavaVersion.getJavaVersion().isEqualOrNewerThan(JavaVersion.TWENTY_ONE);
	}

	private static @Nullable Executor executor(ListableBeanFactory beans, @Nullable String name) {
		return StringUtils.hasText(name) ? new ApplicationBeanSelector<>(Executor.class, "distlock.aop.executor",
				"Define an Executor bean of that name")
			.select(beans, name) : null;
	}

}
