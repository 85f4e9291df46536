package io.github.distlock.aop;

import java.lang.reflect.Modifier;

import org.jspecify.annotations.Nullable;

import org.springframework.aop.framework.autoproxy.AutoProxyUtils;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.support.InstanceSupplier;
import org.springframework.beans.factory.support.RootBeanDefinition;

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

	/**
	 * Return whether the bean will have exactly this class. A factory or a supplier may
	 * return an instance of a subclass.
	 * @param type the type that the bean factory reports
	 * @param beanName the bean, which has a definition
	 * @param beans the bean factory
	 */
	static boolean isExact(Class<?> type, String beanName, ConfigurableListableBeanFactory beans) {
		BeanDefinition definition = beans.getMergedBeanDefinition(beanName);
		if (definition.isAbstract() || Modifier.isAbstract(type.getModifiers())) {
			return false;
		}
		return Modifier.isFinal(type.getModifiers()) || definition instanceof RootBeanDefinition root
				&& isConstructed(root) && !beans.isFactoryBean(beanName);
	}

	/**
	 * The suppliers that ahead-of-time processing generates have a factory method.
	 */
	private static boolean isConstructed(RootBeanDefinition definition) {
		return definition.getFactoryMethodName() == null && definition.getResolvedFactoryMethod() == null
				&& (definition.getInstanceSupplier() == null
						|| definition.getInstanceSupplier() instanceof InstanceSupplier);
	}

}
