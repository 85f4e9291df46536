package io.github.distlock.aop;

import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.beans.factory.support.MergedBeanDefinitionPostProcessor;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.core.Ordered;

/**
 * A {@link BeanPostProcessor} that sees proxies as all others have left them. Spring
 * registers those that process merged bean definitions once more at the end of the list.
 * It has an order nevertheless: one without would itself be offered to the creators of
 * proxies, which would ask for all advisors, and so for the advisor of the lock, too
 * early.
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
