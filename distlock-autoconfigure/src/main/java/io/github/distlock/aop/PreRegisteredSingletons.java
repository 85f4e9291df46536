package io.github.distlock.aop;

import java.util.Set;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.config.BeanFactoryPostProcessor;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.core.Ordered;

/**
 * Knows which singletons were registered as finished objects, so that they have no
 * proxies: those without a bean definition, whenever they were registered, and those that
 * were there before the application's beans, such as the mocks that a test puts in the
 * place of beans.
 */
class PreRegisteredSingletons implements BeanFactoryPostProcessor, Ordered {

	private static final Log logger = LogFactory.getLog(PreRegisteredSingletons.class);

	private Set<String> names = Set.of();

	private @Nullable ConfigurableListableBeanFactory beanFactory;

	/** After those that register some. */
	@Override
	public int getOrder() {
		return Ordered.LOWEST_PRECEDENCE;
	}

	@Override
	public void postProcessBeanFactory(ConfigurableListableBeanFactory beanFactory) {
		this.beanFactory = beanFactory;
		this.names = Set.of(beanFactory.getSingletonNames());
	}

	/**
	 * Log that the methods of such an object run without a lock. A mock is no mistake,
	 * and locks nothing by intention.
	 */
	static void logUnlocked(Object bean, String beanName, @Nullable ClassLoader classLoader) {
		String message = "The methods of bean '" + beanName + "' (" + bean.getClass().getName()
				+ ") that are annotated with @DistributedLock run without a lock: the object was registered as it "
				+ "is, so it has no proxy. ";
		if (MockObjects.isMock(bean, classLoader)) {
			logger.debug(message + "It is a mock");
		}
		else {
			logger.warn(message + "Unless it replaces the bean in a test, have Spring make it, as a bean definition");
		}
	}

	boolean contains(String beanName) {
		return this.names.contains(beanName)
				|| this.beanFactory != null && !this.beanFactory.containsBeanDefinition(beanName);
	}

}
