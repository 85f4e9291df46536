package io.github.distlock.aop;

import java.util.Set;

import org.springframework.beans.factory.config.BeanFactoryPostProcessor;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.core.Ordered;

/**
 * Remembers which singletons were there before the application's beans were made:
 * somebody else has made and registered them, so that they have no proxies. Mocks that a
 * test puts in the place of beans are such.
 */
class HandMadeSingletons implements BeanFactoryPostProcessor, Ordered {

	private Set<String> names = Set.of();

	/** After those that register some. */
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
