package io.github.distlock.aop;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Arrays;
import java.util.List;

import io.github.distlock.transaction.TransactionBoundary;

import org.springframework.aop.Advisor;
import org.springframework.aop.framework.Advised;
import org.springframework.aop.framework.AopProxyUtils;
import org.springframework.aop.support.AopUtils;
import org.springframework.core.Ordered;

/**
 * The proxy of a bean with annotated methods: does each call of them pass the lock, and
 * does it do so outside of transactions?
 */
final class LockedProxy implements LockedReach {

	private final TransactionBoundary transactions = TransactionBoundary.create();

	private final DistributedLockAdvisor advisor;

	LockedProxy(DistributedLockAdvisor advisor) {
		this.advisor = advisor;
	}

	@Override
	public void verify(Object bean, LockDefinition definition) {
		LockedMethod where = definition.where();
		if (!(bean instanceof Advised advised)) {
			throw where.refuse("would not be locked: the bean has no proxy, because it was created before the beans "
					+ "that make proxies, or is of a kind that gets none. Move the method to a bean that nothing "
					+ "needs so early, such as one that no BeanPostProcessor depends on");
		}
		List<Advisor> chain = Arrays.asList(advised.getAdvisors());
		int place = chain.indexOf(this.advisor);
		if (place < 0 && AopProxyUtils.getSingletonTarget(bean) instanceof Advised inner) {
			// A proxy around another bean's proxy.
			verify(inner, definition);
			return;
		}
		if (place < 0) {
			throw where.refuse("would not be locked: the proxy of the bean was made without the lock's advisor. Let "
					+ "Spring make the proxy, in the application context that has distlock, or write the annotation on "
					+ "the interface that the proxy implements");
		}
		verifyReach(bean, definition);
		chain.subList(0, place).forEach((outer) -> verifyOrder(outer, where));
	}

	private void verifyReach(Object bean, LockDefinition definition) {
		LockedMethod where = definition.where();
		Method method = where.method();
		int modifiers = method.getModifiers();
		if (AopUtils.isJdkDynamicProxy(bean)) {
			boolean exposed = Arrays.stream(bean.getClass().getInterfaces()).anyMatch((type) -> exposes(type, where));
			if (!exposed && !definition.onClass()) {
				throw where.refuse("would not be locked: the bean's proxy implements only its interfaces, and none of "
						+ "them has the method. Add it to one of them, or use class-based proxies "
						+ "(proxyTargetClass = true)");
			}
		}
		else if (Modifier.isFinal(modifiers)) {
			throw where.refuse("is on a final method, which a class-based proxy cannot intercept: it would not be "
					+ "locked. Make it non-final, or have the bean implement an interface and use interface-based "
					+ "proxies");
		}
		else if (!Modifier.isPublic(modifiers) && !Modifier.isProtected(modifiers) && foreign(method, bean)) {
			throw where.refuse("is on a package-private method of another package than the bean's class, which its "
					+ "proxy cannot intercept: it would not be locked. Make it public or protected");
		}
	}

	private static boolean exposes(Class<?> type, LockedMethod where) {
		return Arrays.stream(type.getMethods())
			.anyMatch((method) -> method.equals(where.method())
					|| AopUtils.getMostSpecificMethod(method, where.beanClass()).equals(where.method()));
	}

	private static boolean foreign(Method method, Object bean) {
		Class<?> declaring = method.getDeclaringClass();
		Class<?> proxy = bean.getClass();
		return !declaring.getPackageName().equals(proxy.getPackageName())
				|| declaring.getClassLoader() != proxy.getClassLoader();
	}

	private void verifyOrder(Advisor outer, LockedMethod where) {
		if (this.transactions.demarcates(outer, where.method(), where.beanClass())) {
			Object order = (outer instanceof Ordered ordered) ? ordered.getOrder() : "none";
			throw where.refuse("would be locked inside of its transaction and released before the commit: the order of "
					+ "the transaction advisor (" + order + ") comes before that of the lock advisor ("
					+ this.advisor.getOrder() + "). Set distlock.aop.order to a lower number than " + order
					+ ", or the order of @EnableTransactionManagement to a higher one than " + this.advisor.getOrder());
		}
	}

}
