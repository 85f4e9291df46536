package io.github.distlock.aop;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.github.distlock.LockDefinitionException;
import io.github.distlock.LockMode;
import io.github.distlock.LockRegistry;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.BeanFactoryUtils;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.annotation.BeanFactoryAnnotationUtils;
import org.springframework.beans.factory.config.SingletonBeanRegistry;

/**
 * Finds the registry of a locked method: the default registry, or the one with the
 * qualifier or bean name in the annotation. Registries are cached.
 */
final class RegistryResolver {

	private static final Log logger = LogFactory.getLog(RegistryResolver.class);

	private final ListableBeanFactory beanFactory;

	private final LockEnvironment environment;

	private final Map<String, LockRegistry> registriesByName = new ConcurrentHashMap<>();

	private final Map<String, String> ranks = new ConcurrentHashMap<>();

	private final Set<String> warned = ConcurrentHashMap.newKeySet();

	RegistryResolver(BeanFactory beanFactory, LockEnvironment environment) {
		this.beanFactory = (ListableBeanFactory) beanFactory;
		this.environment = environment;
	}

	LockRegistry of(LockDefinition definition) {
		String name = definition.registry();
		LockRegistry registry = this.registriesByName.get(name);
		if (registry == null) {
			registry = name.isEmpty() ? this.environment.registry().get()
					: this.beanFactory.getBean(beanName(definition), LockRegistry.class);
			this.registriesByName.put(name, registry);
		}
		return registry;
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

	StoreFacts facts(LockDefinition definition) {
		return this.environment.stores().apply(of(definition));
	}

	/**
	 * Refuse a method whose registry does not exist or does not support the attributes of
	 * the annotation. Creates the registry only if an attribute depends on it.
	 */
	void verify(LockDefinition definition) {
		if (!definition.registry().isEmpty()) {
			beanName(definition);
		}
		if (definition.template().fair() && !facts(definition).fair()) {
			throw notOffered(definition, "fair", true, ", which does not keep the order of arrival: leave fair out");
		}
		verifyMinHold(definition);
		Duration keep = definition.template().keep();
		if (keep != null && !keep.isZero() && !facts(definition).keeps()) {
			throw notOffered(definition, "keep", keep, ", which does not keep locks: leave keep out");
		}
		LockMode mode = definition.template().mode();
		if (mode != LockMode.EXCLUSIVE && !facts(definition).modes().contains(mode)) {
			throw notOffered(definition, "mode", mode, ": use one of " + facts(definition).modes());
		}
		if (triesOnce(definition) && facts(definition).releasesInBackground()
				&& this.warned.add(definition.method().toString())) {
			logger.warn(definition.method() + " tries once (waitTime \"0\"), and distlock.release=background: after a"
					+ " release another JVM finds the lock taken for one network delay, so a call that follows the"
					+ " release at once is often refused. Give the method a short waitTime, or set"
					+ " distlock.release=confirmed");
		}
	}

	private LockDefinitionException notOffered(LockDefinition definition, String attribute, Object value,
			String remedy) {
		return definition.method()
			.refuse(attribute, value, "is not offered by the store '" + facts(definition).name() + "'" + remedy
					+ ", or choose another store with registry = \"...\"");
	}

	private static boolean triesOnce(LockDefinition definition) {
		Duration waitTime = definition.template().waitTime();
		return waitTime != null && waitTime.isZero() && definition.template().minHold() == null;
	}

	private void verifyMinHold(LockDefinition definition) {
		Duration minHold = definition.template().minHold();
		if (minHold == null || definition.template().leaseTime() != null) {
			return;
		}
		Duration longest = facts(definition).maxHoldTime();
		if (longest != null && minHold.compareTo(longest) > 0) {
			throw definition.method()
				.refuse("minHold", minHold,
						"is longer than locks of the store '" + facts(definition).name() + "' are renewed, " + longest
								+ " (distlock.max-hold-time): write a shorter minHold, set a longer "
								+ "distlock.max-hold-time, or add a leaseTime that is as long as minHold");
		}
	}

	/**
	 * Find the bean, as {@code BeanFactoryAnnotationUtils.qualifiedBeanOfType} does, but
	 * without creating it.
	 */
	private String beanName(LockDefinition definition) {
		String name = definition.registry();
		List<String> found = beanNames()
			.filter((bean) -> BeanFactoryAnnotationUtils.isQualifierMatch(name::equals, bean, this.beanFactory))
			.toList();
		if (found.size() == 1) {
			return found.get(0);
		}
		throw found.isEmpty() ? unknown(definition)
				: definition.method()
					.refuse("registry", name, "is the qualifier of several LockRegistry beans: write one of "
							+ found.stream().collect(Collectors.joining("\", \"", "\"", "\"")));
	}

	private LockDefinitionException unknown(LockDefinition definition) {
		String known = beanNames().map(this::qualifier)
			.sorted()
			.distinct()
			.collect(Collectors.joining("\", \"", "\"", "\""));
		return definition.method()
			.refuse("registry", definition.registry(),
					"is neither the qualifier nor the name of a LockRegistry bean: write one of " + known
							+ ", enable the store with distlock.<store>.enabled=true, or leave registry out to use "
							+ "the default store");
	}

	private Stream<String> beanNames() {
		return Stream.of(BeanFactoryUtils.beanNamesForTypeIncludingAncestors(this.beanFactory, LockRegistry.class));
	}

	/**
	 * Return the qualifier of a bean, or its name if it has none. Spring tests the names
	 * of a bean one after the other, the qualifier last.
	 */
	private String qualifier(String beanName) {
		List<String> tested = new ArrayList<>();
		BeanFactoryAnnotationUtils.isQualifierMatch((candidate) -> {
			tested.add(candidate);
			return false;
		}, beanName, this.beanFactory);
		return tested.get(tested.size() - 1);
	}

}
