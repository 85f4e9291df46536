package io.github.distlock.autoconfigure;

import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.BeanFactoryUtils;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.util.StringUtils;

/**
 * Selects the bean of the application that a store works with: the one that a property
 * names, otherwise the primary or only one.
 *
 * @param <T> type of the bean
 * @param type type of the bean
 * @param property property that names the bean
 * @param remedy what to do if there is no such bean
 */
record ApplicationBeanSelector<T>(Class<T> type, String property, String remedy) {

	T select(ListableBeanFactory beanFactory, @Nullable String beanName) {
		// Without initializing factory beans: their objects may need locks.
		String[] names = BeanFactoryUtils.beanNamesForTypeIncludingAncestors(beanFactory, this.type, true, false);
		if (StringUtils.hasText(beanName)) {
			PropertyChecks.check(beanFactory.containsBean(beanName) && beanFactory.isTypeMatch(beanName, this.type),
					this.property, beanName, "there is no " + this.type.getSimpleName() + " bean of that name",
					(names.length > 0) ? "Use one of " + String.join(", ", names) : this.remedy);
			return beanFactory.getBean(beanName, this.type);
		}
		T bean = (names.length > 0) ? beanFactory.getBeanProvider(this.type).getIfUnique() : null;
		if (bean == null) {
			String problem = "distlock needs a " + this.type.getSimpleName() + " bean, but there ";
			throw (names.length > 0)
					? new StartUpException(
							problem + "are several, and none of them is primary: " + String.join(", ", names) + ".",
							"Set " + this.property + " to one of these names, or mark one of the beans with @Primary.")
					: new StartUpException(problem + "is none.",
							this.remedy + ". Or set distlock.enabled=false to run without locks.");
		}
		return bean;
	}

}
