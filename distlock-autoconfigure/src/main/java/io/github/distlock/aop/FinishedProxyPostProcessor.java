package io.github.distlock.aop;

import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.beans.factory.support.MergedBeanDefinitionPostProcessor;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.core.Ordered;

/**
 * A {@link BeanPostProcessor} that runs after all others and so gets finished proxies.
 * Spring moves post-processors for merged bean definitions to the end of the list. The
 * post-processor has an order nevertheless: without one it would itself be passed to the
 * proxy creators, which would create all advisors, including that of the lock, too early.
 */
abstract class FinishedProxyPostProcessor implements MergedBeanDefinitionPostProcessor, Ordered {

	@Override
	public int getOrder() {
		return Ordered.LOWEST_PRECEDENCE;
	}

	@Override
	public void postProcessMergedBeanDefinition(RootBeanDefinition definition, Class<?> type, String beanName) {
	}

}
