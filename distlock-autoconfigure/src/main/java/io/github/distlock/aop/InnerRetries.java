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
 * is outside whatever its order; those of other libraries have the last place unless the
 * application says otherwise.
 */
final class InnerRetries {

	private static final Log logger = LogFactory.getLog(InnerRetries.class);

	private static final boolean ASPECTJ = ClassUtils.isPresent("org.aspectj.lang.ProceedingJoinPoint",
			InnerRetries.class.getClassLoader());

	private final int lockOrder;

	/** Classes of the aspects that the log has named. */
	private final Set<String> warned = ConcurrentHashMap.newKeySet();

	InnerRetries(int lockOrder) {
		this.lockOrder = lockOrder;
	}

	/**
	 * Warn of the retry aspects of a locked method, each once.
	 * @param inner the advisors that come after the lock
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
		int wanted = this.lockOrder - 1000;
		String lower = " (any number below " + this.lockOrder + ", the order of the lock)";
		if (aspect.startsWith("org.springframework.retry.")) {
			String order = (wanted == Ordered.LOWEST_PRECEDENCE - 2000) ? "Ordered.LOWEST_PRECEDENCE - 2000"
					: String.valueOf(wanted);
			return "To acquire the lock for each attempt, set @EnableRetry(order = " + order + ")" + lower;
		}
		if (aspect.startsWith("io.github.resilience4j.")) {
			return "To acquire the lock for each attempt, set resilience4j.retry.retry-aspect-order=" + wanted + lower;
		}
		return "To acquire the lock for each attempt, give it the order " + wanted + lower;
	}

	private static boolean applies(Advisor advisor, LockedMethod method) {
		return !(advisor instanceof PointcutAdvisor retry)
				|| retry.getPointcut().getMethodMatcher().matches(method.method(), method.beanClass());
	}

	private static String order(Advisor advisor) {
		return (advisor instanceof Ordered ordered) ? String.valueOf(ordered.getOrder()) : "none";
	}

	/** The class that retries: an aspect, an advisor or an interceptor. */
	private static String aspect(Advisor advisor) {
		String type = ClassUtils.getUserClass(advisor).getName();
		if (type.startsWith("org.springframework.retry.")) {
			return type;
		}
		Advice advice = advisor.getAdvice();
		Class<?> aspect = ASPECTJ ? AspectJ.aspect(advice) : advice.getClass();
		return ClassUtils.getUserClass(aspect).getName();
	}

	/** Loaded only where AspectJ is. */
	private static final class AspectJ {

		static Class<?> aspect(Advice advice) {
			return (advice instanceof AbstractAspectJAdvice method)
					? method.getAspectJAdviceMethod().getDeclaringClass() : advice.getClass();
		}

	}

}
