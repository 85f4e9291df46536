package io.github.distlock.aop;

import org.jspecify.annotations.Nullable;

import org.springframework.aop.framework.autoproxy.AutoProxyUtils;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;

/**
 * The type that the bean factory reports for a bean that does not exist yet.
 */
final class DeclaredType {

	private DeclaredType() {
	}

	/**
	 * Return the type of a bean, without its proxy.
	 * @param beanName the bean, which has a definition
	 * @param beans the bean factory
	 * @return the type, or {@code null} if it is not known
	 */
	static @Nullable Class<?> of(String beanName, ConfigurableListableBeanFactory beans) {
		Object original = beans.getMergedBeanDefinition(beanName)
			.getAttribute(AutoProxyUtils.ORIGINAL_TARGET_CLASS_ATTRIBUTE);
		return (original instanceof Class<?> type) ? type : beans.getType(beanName, false);
	}

}
