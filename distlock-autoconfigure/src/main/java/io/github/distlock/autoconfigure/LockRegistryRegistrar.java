package io.github.distlock.autoconfigure;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import io.github.distlock.LockRegistry;

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
 * Defines a {@link LockRegistry} bean for each enabled store:
 * {@code distlockRedisLockRegistry}, qualified by {@code redis}; the one of the default
 * store is primary. A store that is enabled and has no backend, since its classes are
 * missing, has a bean too: one that says so when it is created.
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
		BackendBeans beans = new BackendBeans(this.beanFactory);
		BackendSelection selection = BackendSelection.of(this.environment);
		Map<String, RootBeanDefinition> definitions = new LinkedHashMap<>();
		beans.all()
			.forEach((backend) -> definitions.put(BackendBeans.idOf(backend),
					definition(BackendRegistries.REGISTRY, BackendBeans.idOf(backend), backend)));
		List<String> own = beans.ofTheApplication();
		selection.enabled(own.isEmpty())
			.forEach((backend) -> definitions.putIfAbsent(backend.id(),
					definition(BackendRegistries.MISSING, backend.id())));
		selection.checkComposite(definitions.keySet());
		if (!selection.composite().isEmpty()) {
			definitions.put(Backend.COMPOSITE.id(),
					definition(BackendRegistries.COMPOSITE, selection.composite().toArray(String[]::new)));
		}
		boolean ownByDefault = !own.isEmpty() && selection.byDefault() != Backend.COMPOSITE;
		String byDefault = ownByDefault ? BackendBeans.idOf(beans.primaryOf(own)) : selection.byDefault().id();
		definitions.forEach((store, definition) -> {
			definition.addQualifier(new AutowireCandidateQualifier(Qualifier.class, store));
			definition.setPrimary(store.equals(byDefault));
			registry.registerBeanDefinition(BackendBeans.registryName(store), definition);
		});
	}

	/** Without a lambda: the definition is written out as code ahead of time. */
	private static RootBeanDefinition definition(String factoryMethod, String... arguments) {
		RootBeanDefinition definition = new RootBeanDefinition();
		definition.setFactoryBeanName(BackendRegistries.BEAN_NAME);
		definition.setFactoryMethodName(factoryMethod);
		for (int i = 0; i < arguments.length; i++) {
			definition.getConstructorArgumentValues().addIndexedArgumentValue(i, arguments[i]);
		}
		definition.setDestroyMethodName(AbstractBeanDefinition.INFER_METHOD);
		return definition;
	}

}
