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
 * Defines a {@link LockRegistry} bean for each enabled backend, such as
 * {@code distlockRedisLockRegistry} with the qualifier {@code redis}. The registry of the
 * default backend is primary. If a backend is enabled but its classes are missing, there
 * is a bean too, which fails with a remedy when it is created.
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
		BackendSelection selection = BackendSelection.of(this.environment);
		List<String> own = BackendBeans.ofTheApplication(this.beanFactory);
		Map<String, RootBeanDefinition> definitions = new LinkedHashMap<>();
		for (String backend : BackendBeans.all(this.beanFactory)) {
			String id = BackendBeans.idOf(backend);
			definitions.put(id, definition(BackendRegistries.BEAN_NAME, BackendRegistries.REGISTRY, id, backend));
		}
		for (Backend backend : selection.enabled(own.isEmpty())) {
			definitions.putIfAbsent(backend.id(),
					definition(BackendRegistries.BEAN_NAME, BackendRegistries.MISSING, backend.id()));
		}
		if (selection.hasComposite()) {
			selection.checkComposite(definitions.keySet());
			definitions.put(Backend.COMPOSITE.id(), definition(BackendRegistries.BEAN_NAME, BackendRegistries.COMPOSITE,
					selection.composite().toArray()));
		}
		boolean ownDefault = !own.isEmpty() && selection.byDefault() != Backend.COMPOSITE;
		String defaultId = ownDefault ? BackendBeans.idOf(primary(own)) : selection.byDefault().id();
		definitions.forEach((id, definition) -> {
			definition.addQualifier(new AutowireCandidateQualifier(Qualifier.class, id));
			definition.setPrimary(id.equals(defaultId));
			definition.setDestroyMethodName(AbstractBeanDefinition.INFER_METHOD);
			registry.registerBeanDefinition(BackendBeans.registryName(id), definition);
		});
	}

	private String primary(List<String> backends) {
		List<String> primary = (backends.size() == 1) ? backends
				: backends.stream().filter((name) -> this.beanFactory.getBeanDefinition(name).isPrimary()).toList();
		if (primary.size() != 1) {
			throw new StartUpException(
					"There are " + backends.size() + " LockBackend beans, and it is not clear which is the default: "
							+ String.join(", ", backends) + ".",
					"Mark one of the beans with @Primary. Select the others with @DistributedLock(registry = "
							+ "\"...\") or a qualifier.");
		}
		return primary.get(0);
	}

	/** Uses no lambda, since ahead-of-time processing writes the definition as code. */
	static RootBeanDefinition definition(String factoryBean, String factoryMethod, Object... arguments) {
		RootBeanDefinition definition = new RootBeanDefinition();
		definition.setFactoryBeanName(factoryBean);
		definition.setFactoryMethodName(factoryMethod);
		for (int i = 0; i < arguments.length; i++) {
			definition.getConstructorArgumentValues().addIndexedArgumentValue(i, arguments[i]);
		}
		return definition;
	}

}
