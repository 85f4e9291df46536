package io.github.distlock.aop;

import java.util.Set;

import org.springframework.beans.factory.config.BeanFactoryPostProcessor;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.core.Ordered;

/**
 * Knows which singletons existed before the beans of the application, such as mocks that
 * replace beans in a test. They were registered as objects, so that they have no proxies.
 */
class PreRegisteredSingletons implements BeanFactoryPostProcessor, Ordered {

	private Set<String> names = Set.of();

	/** After post-processors that register singletons. */
	@Override
	public int getOrder() {
		return Ordered.LOWEST_PRECEDENCE;
	}

	@Override
	public void postProcessBeanFactory(ConfigurableListableBeanFactory beanFactory) {
		this.names = Set.of(beanFactory.getSingletonNames());
	}

	boolean contains(String beanName) {
		return this.names.contains(beanName);
	}

}
