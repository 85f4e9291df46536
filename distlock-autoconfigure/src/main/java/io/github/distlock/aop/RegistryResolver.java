package io.github.distlock.aop;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;

import io.github.distlock.LockDefinitionException;
import io.github.distlock.LockRegistry;
import io.github.distlock.aop.LockEnvironment.StoreFacts;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.BeanFactoryUtils;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.NoSuchBeanDefinitionException;
import org.springframework.beans.factory.annotation.BeanFactoryAnnotationUtils;
import org.springframework.beans.factory.config.SingletonBeanRegistry;

/**
 * Finds the registry of a locked method: the default registry, or the one with the
 * qualifier or bean name in the annotation. Registries are cached.
 */
final class RegistryResolver {

	private final ListableBeanFactory beanFactory;

	private final LockEnvironment environment;

	private final Map<String, LockRegistry> registriesByName = new ConcurrentHashMap<>();

	private final Map<String, String> ranks = new ConcurrentHashMap<>();

	RegistryResolver(BeanFactory beanFactory, LockEnvironment environment) {
		this.beanFactory = (ListableBeanFactory) beanFactory;
		this.environment = environment;
	}

	LockRegistry of(LockDefinition definition) {
		LockRegistry registry = this.registriesByName.get(definition.registry());
		if (registry == null) {
			registry = definition.registry().isEmpty() ? this.environment.registry().get() : named(definition);
			this.registriesByName.put(definition.registry(), registry);
		}
		return registry;
	}

	private LockRegistry named(LockDefinition definition) {
		try {
			return BeanFactoryAnnotationUtils.qualifiedBeanOfType(this.beanFactory, LockRegistry.class,
					definition.registry());
		}
		catch (NoSuchBeanDefinitionException ex) {
			throw definition.method()
				.refuse("registry", definition.registry(),
						"names no LockRegistry bean, or several (" + ex.getMessage() + "): write one of the names "
								+ beanNames().flatMap(this::names).distinct().toList()
								+ ", enable the store with distlock.<store>.enabled=true, or "
								+ "leave registry out to use the default store",
						ex);
		}
	}

	/**
	 * Return the bean name of the registry, which is the same in every JVM and for every
	 * qualifier in an annotation.
	 */
	String rank(LockDefinition definition) {
		return this.ranks.computeIfAbsent(definition.registry(), (name) -> {
			LockRegistry registry = of(definition);
			return beanNames().filter((bean) -> registry == singleton(bean)).findFirst().orElse(name);
		});
	}

	/** Does not create the bean. */
	private @Nullable Object singleton(String bean) {
		return (this.beanFactory instanceof SingletonBeanRegistry beans) ? beans.getSingleton(bean) : null;
	}

	private Stream<String> beanNames() {
		return Stream.of(BeanFactoryUtils.beanNamesForTypeIncludingAncestors(this.beanFactory, LockRegistry.class));
	}

	/** The name of a bean, its aliases and its qualifiers. */
	private Stream<String> names(String bean) {
		List<String> names = new ArrayList<>();
		BeanFactoryAnnotationUtils.isQualifierMatch((name) -> {
			names.add(name);
			// Spring tries the next one.
			return false;
		}, bean, this.beanFactory);
		return names.stream();
	}

	StoreFacts facts(LockDefinition definition) {
		return this.environment.stores().apply(of(definition));
	}

	/**
	 * Refuse a method whose registry does not exist or does not support the attributes of
	 * the annotation.
	 */
	void verify(LockDefinition definition) {
		StoreFacts facts = facts(definition);
		try {
			facts.validator().accept(definition.template());
		}
		catch (LockDefinitionException ex) {
			throw definition.method().refuse("does not fit its store. " + ex.getMessage());
		}
	}

}
