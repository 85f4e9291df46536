package io.github.distlock.aop;

import java.util.Arrays;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

import org.springframework.aop.Advisor;
import org.springframework.aop.framework.Advised;
import org.springframework.aop.framework.AopProxyUtils;

/**
 * Has a method locked once, though the application has two creators of proxies, such as
 * Spring's and a {@code DefaultAdvisorAutoProxyCreator} for Apache Shiro. Both apply each
 * advisor, so that the bean is a proxy around a proxy. The lock stays in the outer one,
 * outside the transactions of both.
 */
class LockedOnce extends FinishedProxies {

	private static final Log logger = LogFactory.getLog(LockedOnce.class);

	@Override
	public Object postProcessAfterInitialization(Object bean, String beanName) {
		if (bean instanceof Advised outer && isLocked(outer)) {
			Object target = AopProxyUtils.getSingletonTarget(bean);
			while (target instanceof Advised inner) {
				unlock(inner, beanName);
				target = AopProxyUtils.getSingletonTarget(inner);
			}
		}
		return bean;
	}

	private static void unlock(Advised inner, String beanName) {
		if (!isLocked(inner)) {
			return;
		}
		if (inner.isFrozen()) {
			logger.warn("Methods of bean '" + beanName + "' are locked twice: two creators have made a proxy for it,"
					+ " and the inner one is frozen. Remove one of the creators, such as the bean of type "
					+ "DefaultAdvisorAutoProxyCreator");
			return;
		}
		for (Advisor advisor : inner.getAdvisors()) {
			if (advisor instanceof DistributedLockAdvisor) {
				inner.removeAdvisor(advisor);
			}
		}
	}

	private static boolean isLocked(Advised proxy) {
		return Arrays.stream(proxy.getAdvisors()).anyMatch(DistributedLockAdvisor.class::isInstance);
	}

}
