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
 * Has a method locked once, though the application has two creators of proxies, such as
 * Spring's and a {@code DefaultAdvisorAutoProxyCreator} for Apache Shiro. Both apply each
 * advisor, so that the bean is a proxy around a proxy. The lock stays in the outer one,
 * outside the transactions of both.
 * <p>
 * A bean method may also return another bean, whose proxy is then inside that of the new
 * bean. The other bean keeps its lock, and a call of the new one enters the lock twice.
 */
class DuplicateLockRemover extends FinishedProxyPostProcessor implements SmartInstantiationAwareBeanPostProcessor {

	private static final Log logger = LogFactory.getLog(DuplicateLockRemover.class);

	/**
	 * Locked proxies that are beans. The proxy of the first of two creators never gets
	 * here, since this post-processor is last. Static, because the inner proxy may be a
	 * bean of a parent context; by identity, because proxies with equal targets are
	 * equal. An entry goes when its proxy is collected.
	 */
	private static final WeakIdentityMap<Boolean> BEANS = new WeakIdentityMap<>();

	/** The proxy of a bean in a circular reference is seen only here. */
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
