package io.github.distlock.aop;

import java.util.Set;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.config.BeanFactoryPostProcessor;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.core.Ordered;

/**
 * Knows which singletons were registered as objects, so that they have no proxies: those
 * without a bean definition, and those that existed before the beans of the application,
 * such as mocks that replace beans in a test.
 */
class PreRegisteredSingletons implements BeanFactoryPostProcessor, Ordered {

	private static final Log logger = LogFactory.getLog(PreRegisteredSingletons.class);

	private Set<String> names = Set.of();

	private @Nullable ConfigurableListableBeanFactory beanFactory;

	/** After post-processors that register singletons. */
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
	 * Log that the methods of such an object run without a lock. For a mock that is
	 * intended, so it is no warning.
	 */
	static void logUnlocked(Object bean, String beanName, @Nullable ClassLoader classLoader) {
		String message = "The methods of bean '" + beanName + "' (" + bean.getClass().getName()
				+ ") that are annotated with @DistributedLock run without a lock: the object was registered as a "
				+ "singleton, so it has no proxy. ";
		if (MockObjects.isMock(bean, classLoader)) {
			logger.debug(message + "It is a mock");
		}
		else {
			logger.warn(message + "Unless it replaces the bean in a test, register a bean definition instead");
		}
	}

	boolean contains(String beanName) {
		return this.names.contains(beanName)
				|| this.beanFactory != null && !this.beanFactory.containsBeanDefinition(beanName);
	}

}
