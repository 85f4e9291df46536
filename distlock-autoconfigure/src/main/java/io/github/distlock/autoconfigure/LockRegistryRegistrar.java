package io.github.distlock.autoconfigure;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import io.github.distlock.LockRegistry;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.support.AbstractBeanDefinition;
import org.springframework.beans.factory.support.AutowireCandidateQualifier;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.context.annotation.ImportBeanDefinitionRegistrar;
import org.springframework.core.env.Environment;
import org.springframework.core.type.AnnotationMetadata;

/**
 * Defines a {@link LockRegistry} bean for each enabled store: {@code redisLockRegistry},
 * qualified by {@code redis}; the one of the default store is primary. A store that is
 * enabled and has no backend, since its classes are missing, has a bean too: one that
 * says so when it is created.
 */
class LockRegistryRegistrar implements ImportBeanDefinitionRegistrar {

	private final ConfigurableListableBeanFactory beanFactory;

	private final Environment environment;

	LockRegistryRegistrar(BeanFactory beanFactory, Environment environment) {
		this.beanFactory = (ConfigurableListableBeanFactory) beanFactory;
		this.environment = environment;
	}

	@Override
	public void registerBeanDefinitions(AnnotationMetadata importing, BeanDefinitionRegistry registry) {
		StoreBeans beans = new StoreBeans(this.beanFactory);
		ChosenStores chosen = ChosenStores.of(this.environment);
		Map<String, @Nullable String> backends = new LinkedHashMap<>();
		beans.all().forEach((backend) -> backends.put(StoreBeans.store(backend), backend));
		List<String> own = beans.ofTheApplication();
		String byDefault = own.isEmpty() ? chosen.byDefault().store() : StoreBeans.store(beans.primaryOf(own));
		chosen.enabled(own.isEmpty()).forEach((store) -> backends.putIfAbsent(store.store(), null));
		backends.forEach((store, backend) -> registry.registerBeanDefinition(StoreBeans.registryName(store),
				definition(store, backend, store.equals(byDefault))));
	}

	/** Without a lambda: the definition is written out as code ahead of time. */
	private static RootBeanDefinition definition(String store, @Nullable String backend, boolean primary) {
		RootBeanDefinition definition = new RootBeanDefinition();
		definition.setFactoryBeanName(LockStores.BEAN_NAME);
		definition.setFactoryMethodName((backend != null) ? LockStores.REGISTRY : LockStores.MISSING);
		definition.getConstructorArgumentValues().addIndexedArgumentValue(0, store);
		if (backend != null) {
			definition.getConstructorArgumentValues().addIndexedArgumentValue(1, backend);
		}
		definition.setDestroyMethodName(AbstractBeanDefinition.INFER_METHOD);
		definition.addQualifier(new AutowireCandidateQualifier(Qualifier.class, store));
		definition.setPrimary(primary);
		return definition;
	}

}
