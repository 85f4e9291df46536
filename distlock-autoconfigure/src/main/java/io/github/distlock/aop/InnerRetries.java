package io.github.distlock.aop;

import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import org.aopalliance.aop.Advice;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

import org.springframework.aop.Advisor;
import org.springframework.aop.PointcutAdvisor;
import org.springframework.aop.aspectj.AbstractAspectJAdvice;
import org.springframework.core.Ordered;
import org.springframework.util.ClassUtils;

/**
 * Warns of retry aspects that run inside the lock. Spring Framework's {@code @Retryable}
 * is always outside. Retry aspects of other libraries are last unless the application
 * sets their order.
 */
final class InnerRetries {

	private static final Log logger = LogFactory.getLog(InnerRetries.class);

	private static final boolean ASPECTJ = ClassUtils.isPresent("org.aspectj.lang.ProceedingJoinPoint",
			InnerRetries.class.getClassLoader());

	private final int lockOrder;

	/** Classes of the aspects that have been logged. */
	private final Set<String> warned = ConcurrentHashMap.newKeySet();

	InnerRetries(int lockOrder) {
		this.lockOrder = lockOrder;
	}

	/**
	 * Warn of the retry aspects of a locked method, each once.
	 * @param inner the advisors after the lock
	 * @param method the method
	 */
	void warn(List<Advisor> inner, LockedMethod method) {
		for (Advisor advisor : inner) {
			String aspect = aspect(advisor);
			if (aspect.substring(aspect.lastIndexOf('.') + 1).contains("Retry") && applies(advisor, method)
					&& this.warned.add(aspect)) {
				logger.warn("Retries of " + aspect + " (order " + order(advisor) + ") run inside the lock of " + method
						+ ", and perhaps of other methods: all attempts share one acquisition, the lock is held"
						+ " between them, and a lock that was not acquired is not tried again. " + remedy(aspect));
			}
		}
	}

	private String remedy(String aspect) {
		int outerOrder = this.lockOrder - 1000;
		String lower = " (any number below " + this.lockOrder + ", the order of the lock)";
		if (aspect.startsWith("org.springframework.retry.")) {
			String order = (outerOrder == Ordered.LOWEST_PRECEDENCE - 2000) ? "Ordered.LOWEST_PRECEDENCE - 2000"
					: String.valueOf(outerOrder);
			return "To acquire the lock for each attempt, set @EnableRetry(order = " + order + ")" + lower;
		}
		if (aspect.startsWith("io.github.resilience4j.")) {
			return "To acquire the lock for each attempt, set resilience4j.retry.retry-aspect-order=" + outerOrder
					+ lower;
		}
		return "To acquire the lock for each attempt, give it the order " + outerOrder + lower;
	}

	private static boolean applies(Advisor advisor, LockedMethod method) {
		return !(advisor instanceof PointcutAdvisor retry)
				|| retry.getPointcut().getMethodMatcher().matches(method.method(), method.beanClass());
	}

	private static String order(Advisor advisor) {
		return (advisor instanceof Ordered ordered) ? String.valueOf(ordered.getOrder()) : "none";
	}

	/** The class of the aspect, advisor or interceptor. */
	private static String aspect(Advisor advisor) {
		String type = ClassUtils.getUserClass(advisor).getName();
		if (type.startsWith("org.springframework.retry.")) {
			return type;
		}
		Advice advice = advisor.getAdvice();
		Class<?> aspect = ASPECTJ ? AspectJ.aspect(advice) : advice.getClass();
		return ClassUtils.getUserClass(aspect).getName();
	}

	/** Loaded only if AspectJ is on the class path. */
	private static final class AspectJ {

		static Class<?> aspect(Advice advice) {
			return (advice instanceof AbstractAspectJAdvice method)
					? method.getAspectJAdviceMethod().getDeclaringClass() : advice.getClass();
		}

	}

}
