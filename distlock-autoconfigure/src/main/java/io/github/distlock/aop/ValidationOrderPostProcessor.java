package io.github.distlock.aop;

import java.util.List;

import org.springframework.aop.Advisor;
import org.springframework.aop.framework.Advised;
import org.springframework.beans.factory.support.MergedBeanDefinitionPostProcessor;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.core.Ordered;
import org.springframework.validation.beanvalidation.MethodValidationInterceptor;

/**
 * Moves method validation to the place before the lock, for beans with locked methods: an
 * invalid call needs no lock, and its key may have no value. Spring appends method
 * validation to the advice of a bean, inside the lock and the transaction. Results are
 * validated there as well, after the transaction has ended and the lock is released.
 * <p>
 * Other beans are not changed, nor is validation that the application has placed itself,
 * before other advice or with an order.
 * <p>
 * Runs after all other post-processors, so that it gets finished proxies: Spring moves
 * post-processors for merged bean definitions to the end of the list. It has an order
 * nevertheless: without one it would itself be passed to the proxy creators, which would
 * create all advisors, including that of the lock, too early.
 */
class ValidationOrderPostProcessor implements MergedBeanDefinitionPostProcessor, Ordered {

	@Override
	public int getOrder() {
		return Ordered.LOWEST_PRECEDENCE;
	}

	@Override
	public void postProcessMergedBeanDefinition(RootBeanDefinition definition, Class<?> type, String beanName) {
	}

	@Override
	public Object postProcessAfterInitialization(Object bean, String beanName) {
		if (bean instanceof Advised advised && !advised.isFrozen()) {
			List<Advisor> advisors = List.of(advised.getAdvisors());
			int lock = 0;
			while (lock < advisors.size() && !(advisors.get(lock) instanceof DistributedLockAdvisor)) {
				lock++;
			}
			for (int i = lock + 1; i < advisors.size(); i++) {
				Advisor advisor = advisors.get(i);
				if (advisor.getAdvice() instanceof MethodValidationInterceptor && !hasOrder(advisor)) {
					advised.removeAdvisor(advisor);
					advised.addAdvisor(lock++, advisor);
				}
			}
		}
		return bean;
	}

	private static boolean hasOrder(Advisor advisor) {
		return advisor instanceof Ordered ordered && ordered.getOrder() != Ordered.LOWEST_PRECEDENCE;
	}

}
