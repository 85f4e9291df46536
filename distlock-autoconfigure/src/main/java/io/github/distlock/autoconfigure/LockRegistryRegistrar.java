package io.github.distlock.autoconfigure;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;

import io.github.distlock.LockRegistry;
import io.github.distlock.backend.LockBackend;

import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.support.AbstractBeanDefinition;
import org.springframework.beans.factory.support.AutowireCandidateQualifier;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.context.annotation.ImportBeanDefinitionRegistrar;
import org.springframework.core.env.Environment;
import org.springframework.core.type.AnnotationMetadata;
import org.springframework.util.StringUtils;

/**
 * Defines a {@link LockRegistry} bean for each enabled backend, such as
 * {@code distlockRedisLockRegistry} with the qualifier {@code redis}. The registry of the
 * default backend is primary, unless the application has a primary registry of its own.
 * If a backend is enabled but its classes are missing, there is a bean too, which fails
 * with a remedy when it is created.
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
		Map<String, String> own = backendsOfTheApplication(this.beanFactory);
		Map<String, RootBeanDefinition> definitions = new LinkedHashMap<>();
		String selected = selection.text();
		own.forEach((id, bean) -> definitions.put(id, definition(BackendRegistries.REGISTRY, id, bean, selected)));
		for (Backend backend : selection.enabled(own.isEmpty())) {
			definitions.putIfAbsent(backend.id(),
					definition(BackendRegistries.REGISTRY, backend.id(), backend.beanName(), selected));
		}
		if (selection.hasComposite()) {
			selection.checkComposite(definitions.keySet());
			definitions.put(Backend.COMPOSITE.id(),
					definition(BackendRegistries.COMPOSITE, selection.composite().toArray()));
		}
		boolean ownDefault = !own.isEmpty() && selection.byDefault() != Backend.COMPOSITE;
		String defaultId = ownDefault ? primary(own) : selection.byDefault().id();
		boolean ownPrimary = NotReplacedCondition.hasPrimary(this.beanFactory);
		definitions.forEach((id, definition) -> {
			definition.addQualifier(new AutowireCandidateQualifier(Qualifier.class, id));
			definition.setPrimary(id.equals(defaultId) && !ownPrimary);
			registry.registerBeanDefinition(beanName(id), definition);
		});
	}

	/**
	 * Return the beans that the library did not define, by the names of their backends:
	 * {@code etcd} for a bean {@code etcdLockBackend}. Creates no bean. Those of an
	 * ancestor do not count: each context has its own.
	 */
	static Map<String, String> backendsOfTheApplication(ListableBeanFactory beanFactory) {
		Set<String> library = Arrays.stream(Backend.values()).map(Backend::beanName).collect(Collectors.toSet());
		return Arrays.stream(beanFactory.getBeanNamesForType(LockBackend.class, true, false))
			.filter((bean) -> !library.contains(bean))
			.collect(Collectors.toMap((bean) -> bean.replaceFirst("(?<=.)LockBackend$", ""), Function.identity(),
					(one, other) -> one, LinkedHashMap::new));
	}

	/** The prefix, since Spring Integration also has a {@code redisLockRegistry}. */
	static String beanName(String id) {
		return "distlock" + StringUtils.capitalize(id) + "LockRegistry";
	}

	private String primary(Map<String, String> backends) {
		List<String> primary = backends.entrySet()
			.stream()
			.filter((named) -> backends.size() == 1 || this.beanFactory.getBeanDefinition(named.getValue()).isPrimary())
			.map(Map.Entry::getKey)
			.toList();
		if (primary.size() != 1) {
			throw new StartUpException(
					"The default LockBackend is not clear: " + String.join(", ", backends.values()) + ".",
					"Mark one of the beans with @Primary. Select the others with @DistributedLock(registry = "
							+ "\"...\") or a qualifier.");
		}
		return primary.get(0);
	}

	/** Uses no lambda, since ahead-of-time processing writes the definition as code. */
	private static RootBeanDefinition definition(String factoryMethod, Object... arguments) {
		RootBeanDefinition definition = new RootBeanDefinition();
		definition.setFactoryBeanName(BackendRegistries.BEAN_NAME);
		definition.setFactoryMethodName(factoryMethod);
		definition.setDestroyMethodName(AbstractBeanDefinition.INFER_METHOD);
		for (int i = 0; i < arguments.length; i++) {
			definition.getConstructorArgumentValues().addIndexedArgumentValue(i, arguments[i]);
		}
		return definition;
	}

}
