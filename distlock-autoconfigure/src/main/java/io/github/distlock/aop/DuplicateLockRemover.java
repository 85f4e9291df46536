package io.github.distlock.aop;

import java.util.Arrays;

import io.github.distlock.aop.weaving.WeakIdentityMap;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

import org.springframework.aop.Advisor;
import org.springframework.aop.framework.Advised;
import org.springframework.aop.framework.AopProxyUtils;
import org.springframework.beans.factory.config.SmartInstantiationAwareBeanPostProcessor;

/**
 * Removes the lock from the inner proxy of a bean with two proxies. This happens if an
 * application has two proxy creators, such as Spring's and a
 * {@code DefaultAdvisorAutoProxyCreator} for Apache Shiro, which both apply each advisor.
 * The lock stays in the outer proxy, outside the transactions of both.
 * <p>
 * A bean method may also return another bean, whose proxy is then inside that of the new
 * bean. The other bean keeps its lock, and a call of the new bean enters the lock twice.
 */
class DuplicateLockRemover extends FinishedProxyPostProcessor implements SmartInstantiationAwareBeanPostProcessor {

	private static final Log logger = LogFactory.getLog(DuplicateLockRemover.class);

	/**
	 * Locked proxies that are beans. The proxy of the first of two creators is never one
	 * of them, because this post-processor runs last. Static, because the inner proxy may
	 * be a bean of a parent context; by identity, because proxies with equal targets are
	 * equal.
	 */
	private static final WeakIdentityMap<Boolean> BEANS = new WeakIdentityMap<>();

	/** The proxy of a bean in a circular reference is passed only to this method. */
	@Override
	public Object getEarlyBeanReference(Object bean, String beanName) {
		return postProcessAfterInitialization(bean, beanName);
	}

	@Override
	public Object postProcessAfterInitialization(Object bean, String beanName) {
		if (bean instanceof Advised outer && isLocked(outer)) {
			Object target = AopProxyUtils.getSingletonTarget(bean);
			while (target instanceof Advised inner && BEANS.get(inner) == null) {
				unlock(inner, beanName);
				target = AopProxyUtils.getSingletonTarget(inner);
			}
			BEANS.put(bean, true);
		}
		return bean;
	}

	private static void unlock(Advised inner, String beanName) {
		if (!isLocked(inner)) {
			return;
		}
		if (inner.isFrozen()) {
			logger.warn("Methods of bean '" + beanName
					+ "' are locked twice: two proxy creators have created a proxy for it,"
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
