package io.github.distlock.aop;

import java.lang.reflect.Modifier;

import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.support.InstanceSupplier;
import org.springframework.beans.factory.support.RootBeanDefinition;

/**
 * The type that the bean factory knows of a bean that does not exist yet.
 */
final class DeclaredType {

	private DeclaredType() {
	}

	/**
	 * Return whether the bean will have exactly this class. What a factory or a supplier
	 * returns may be of a subclass.
	 * @param type the type that the bean factory knows
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
	 * The suppliers that ahead-of-time processing generates tell their factory method.
	 */
	private static boolean isConstructed(RootBeanDefinition definition) {
		return definition.getFactoryMethodName() == null && definition.getResolvedFactoryMethod() == null
				&& (definition.getInstanceSupplier() == null
						|| definition.getInstanceSupplier() instanceof InstanceSupplier);
	}

}
