package io.github.distlock.autoconfigure;

import java.util.Arrays;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.BeanFactoryUtils;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.util.StringUtils;

/**
 * The bean of the application that a store works with: the one that a property names,
 * else the primary or only one.
 *
 * @param <T> type of the bean
 * @param type the same
 * @param place where the locks are kept then
 * @param property names the bean
 * @param location what Spring Boot makes such a bean from
 * @param missing why there may be none
 * @param action what to do about that
 */
record ApplicationBeanSelector<T>(Class<T> type, String place, String property, String location, String missing,
		String action) {

	T select(ListableBeanFactory beanFactory, @Nullable String beanName) {
		// Not the factory beans: what they make may need the locks.
		String[] names = BeanFactoryUtils.beanNamesForTypeIncludingAncestors(beanFactory, this.type, true, false);
		if (StringUtils.hasText(beanName)) {
			return named(beanFactory, beanName, names);
		}
		String kind = this.type.getSimpleName();
		if (names.length == 0) {
			throw new LockBackendMissingException("distlock keeps its locks in " + this.place + ", and there is no "
					+ kind + " bean. " + this.missing, """
							Do one of these:
							- %s
							- define a %s bean, or a LockBackend bean of your own
							- set distlock.enabled=false to run without locks""".formatted(this.action, kind));
		}
		T bean = beanFactory.getBeanProvider(this.type).getIfUnique();
		if (bean == null) {
			throw new LockBackendMissingException(
					"distlock keeps its locks in " + this.place + ", and there are " + names.length + " " + kind
							+ " beans, none of them primary: " + list(names) + ".",
					"Set " + this.property + " to one of these names, or mark one of the beans with @Primary.");
		}
		return bean;
	}

	private T named(ListableBeanFactory beanFactory, String beanName, String[] names) {
		if (!beanFactory.containsBean(beanName) || !beanFactory.isTypeMatch(beanName, this.type)) {
			throw new LockBackendMissingException(
					"Property '" + this.property + "' is '" + beanName + "': there is no " + this.type.getSimpleName()
							+ " bean of that name.",
					(names.length > 0) ? "Set it to one of " + list(names) + ", or remove it."
							: "Define such a bean, or remove the property and set " + this.location + ".");
		}
		return beanFactory.getBean(beanName, this.type);
	}

	private static String list(String[] names) {
		return Arrays.stream(names).sorted().map((name) -> "'" + name + "'").collect(Collectors.joining(", "));
	}

}
