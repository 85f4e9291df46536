package io.github.distlock.autoconfigure;

import java.util.List;

import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.BeanFactoryUtils;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.util.StringUtils;

/**
 * Selects the bean of the application that a backend works with: the one that a property
 * names, otherwise the primary or only one.
 *
 * @param <T> type of the bean
 * @param type type of the bean
 * @param storeName name of the store in messages
 * @param property property that names the bean
 * @param reasonIfMissing possible reason why there is no such bean
 * @param action what to do if there is no such bean
 */
record ApplicationBeanSelector<T>(Class<T> type, String storeName, String property, String reasonIfMissing,
		String action) {

	T select(ListableBeanFactory beanFactory, @Nullable String beanName) {
		// Without initializing factory beans: their objects may need locks.
		String[] names = BeanFactoryUtils.beanNamesForTypeIncludingAncestors(beanFactory, this.type, true, false);
		String typeName = this.type.getSimpleName();
		if (names.length == 0) {
			throw new StartUpException(
					"distlock keeps its locks in " + this.storeName + ", but there is no " + typeName + " bean. "
							+ this.reasonIfMissing,
					"""
							Do one of these:
							- %s
							- define a %s bean, or a LockBackend bean of your own
							- set distlock.enabled=false to run without locks""".formatted(this.action, typeName));
		}
		if (StringUtils.hasText(beanName)) {
			PropertyChecks.check(List.of(names).contains(beanName), this.property, beanName,
					"there is no " + typeName + " bean with that name",
					"Set it to one of " + String.join(", ", names) + ", or remove it");
			return beanFactory.getBean(beanName, this.type);
		}
		T bean = beanFactory.getBeanProvider(this.type).getIfUnique();
		if (bean == null) {
			throw new StartUpException(
					"distlock keeps its locks in " + this.storeName + ", but there are " + names.length + " " + typeName
							+ " beans, and none of them is primary: " + String.join(", ", names) + ".",
					"Set " + this.property + " to one of these names, or mark one of the beans with @Primary.");
		}
		return bean;
	}

}
