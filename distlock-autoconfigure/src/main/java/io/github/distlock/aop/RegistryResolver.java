package io.github.distlock.aop;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.github.distlock.LockDefinitionException;
import io.github.distlock.LockMode;
import io.github.distlock.LockRegistry;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.BeanFactoryUtils;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.annotation.BeanFactoryAnnotationUtils;
import org.springframework.beans.factory.config.SingletonBeanRegistry;

/**
 * Finds the registry of a locked method: the default one, or the one that has the
 * qualifier or bean name which the annotation says. Each is looked up until it is found,
 * then never again.
 */
final class RegistryResolver {

	private final ListableBeanFactory beanFactory;

	private final LockEnvironment runtime;

	private final Map<String, LockRegistry> known = new ConcurrentHashMap<>();

	private final Map<String, String> ranks = new ConcurrentHashMap<>();

	RegistryResolver(BeanFactory beanFactory, LockEnvironment runtime) {
		this.beanFactory = (ListableBeanFactory) beanFactory;
		this.runtime = runtime;
	}

	LockRegistry of(LockDefinition definition) {
		String name = definition.registry();
		LockRegistry registry = this.known.get(name);
		if (registry == null) {
			registry = name.isEmpty() ? this.runtime.registry().get()
					: this.beanFactory.getBean(beanName(definition), LockRegistry.class);
			this.known.put(name, registry);
		}
		return registry;
	}

	/**
	 * Return a name that says which registry it is, in every JVM and whatever the
	 * annotation calls it: that of the bean.
	 */
	String rank(LockDefinition definition) {
		return this.ranks.computeIfAbsent(definition.registry(), (name) -> {
			LockRegistry registry = of(definition);
			return beanNames().filter((bean) -> registry == singleton(bean)).findFirst().orElse(name);
		});
	}

	/** Nothing is created for it. */
	private @Nullable Object singleton(String bean) {
		return (this.beanFactory instanceof SingletonBeanRegistry beans) ? beans.getSingleton(bean) : null;
	}

	StoreFacts facts(LockDefinition definition) {
		return this.runtime.stores().apply(of(definition));
	}

	/**
	 * Refuse a method whose registry does not exist, or does not offer what the method
	 * asks for. Creates no registry unless the method asks for something special.
	 */
	void verify(LockDefinition definition) {
		if (!definition.registry().isEmpty()) {
			beanName(definition);
		}
		if (definition.template().fair() && !facts(definition).fair()) {
			throw definition.where()
				.refuse("fair", true, "is not offered by the store '" + facts(definition).name()
						+ "', which does not keep the order of arrival: leave fair out, or choose another store with "
						+ "registry = \"...\"");
		}
		verifyMinHold(definition);
		LockMode mode = definition.template().mode();
		if (mode != LockMode.EXCLUSIVE && !facts(definition).modes().contains(mode)) {
			throw definition.where()
				.refuse("mode", mode, "is not offered by the store '" + facts(definition).name() + "': use one of "
						+ facts(definition).modes() + ", or choose another store with registry = \"...\"");
		}
	}

	private void verifyMinHold(LockDefinition definition) {
		Duration minHold = definition.template().minHold();
		if (minHold == null || definition.template().leaseTime() != null) {
			return;
		}
		Duration longest = facts(definition).maxHoldTime();
		if (longest != null && minHold.compareTo(longest) > 0) {
			throw definition.where()
				.refuse("minHold", minHold,
						"is longer than locks of the store '" + facts(definition).name() + "' are renewed, " + longest
								+ " (distlock.max-hold-time): write a shorter minHold, set a longer "
								+ "distlock.max-hold-time, or add a leaseTime that is as long as minHold");
		}
	}

	private String beanName(LockDefinition definition) {
		String name = definition.registry();
		List<String> found = beanNames().filter((bean) -> names(bean).contains(name)).toList();
		if (found.size() == 1) {
			return found.get(0);
		}
		throw found.isEmpty() ? unknown(definition)
				: definition.where()
					.refuse("registry", name, "is the qualifier of several LockRegistry beans: write one of "
							+ found.stream().collect(Collectors.joining("\", \"", "\"", "\"")));
	}

	private LockDefinitionException unknown(LockDefinition definition) {
		String known = beanNames().map((bean) -> names(bean).get(names(bean).size() - 1))
			.sorted()
			.distinct()
			.collect(Collectors.joining("\", \"", "\"", "\""));
		return definition.where()
			.refuse("registry", definition.registry(),
					"is neither the qualifier nor the name of a LockRegistry bean: write one of " + known
							+ ", enable the store with distlock.<store>.enabled=true, or leave registry out to have "
							+ "the default store");
	}

	private Stream<String> beanNames() {
		return Stream.of(BeanFactoryUtils.beanNamesForTypeIncludingAncestors(this.beanFactory, LockRegistry.class));
	}

	/** All names that Spring knows for a bean, the qualifier last. */
	private List<String> names(String beanName) {
		List<String> names = new ArrayList<>();
		BeanFactoryAnnotationUtils.isQualifierMatch((name) -> {
			names.add(name);
			return false;
		}, beanName, this.beanFactory);
		return names;
	}

}
