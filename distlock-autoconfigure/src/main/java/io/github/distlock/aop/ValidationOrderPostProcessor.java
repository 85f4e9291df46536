package io.github.distlock.aop;

import java.util.List;

import org.springframework.aop.Advisor;
import org.springframework.aop.PointcutAdvisor;
import org.springframework.aop.framework.Advised;
import org.springframework.aop.support.DefaultPointcutAdvisor;
import org.springframework.core.Ordered;
import org.springframework.validation.beanvalidation.MethodValidationInterceptor;

/**
 * Moves the validation of arguments before the lock, for beans with locked methods: an
 * invalid call needs no lock, and its key may have no value. Spring appends method
 * validation to the advice of a bean, so that it validates arguments and results inside
 * the lock and the transaction. Results are still validated there: an invalid result
 * rolls the transaction back.
 * <p>
 * Other beans are not changed, nor is validation that the application has placed itself,
 * before other advice or with an order.
 */
class ValidationOrderPostProcessor extends FinishedProxyPostProcessor {

	@Override
	public Object postProcessAfterInitialization(Object bean, String beanName) {
		if (bean instanceof Advised advised && !advised.isFrozen()) {
			List<Advisor> advisors = List.of(advised.getAdvisors());
			int lock = 0;
			while (lock < advisors.size() && !(advisors.get(lock) instanceof DistributedLockAdvisor)) {
				lock++;
			}
			for (Advisor advisor : advisors.subList(Math.min(lock + 1, advisors.size()), advisors.size())) {
				if (advisor instanceof PointcutAdvisor validation
						&& validation.getAdvice() instanceof MethodValidationInterceptor interceptor
						&& !hasOrder(advisor)) {
					split(advised, lock, validation, interceptor);
				}
			}
		}
		return bean;
	}

	private static void split(Advised advised, int lock, PointcutAdvisor validation,
			MethodValidationInterceptor interceptor) {
		advised.replaceAdvisor(validation,
				new DefaultPointcutAdvisor(validation.getPointcut(), ResultValidation.of(interceptor)));
		advised.addAdvisor(lock,
				new DefaultPointcutAdvisor(validation.getPointcut(), new ArgumentValidation(interceptor)));
	}

	private static boolean hasOrder(Advisor advisor) {
		return advisor instanceof Ordered ordered && ordered.getOrder() != Ordered.LOWEST_PRECEDENCE;
	}

}
