package io.github.distlock.aop;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import io.github.distlock.transaction.TransactionBoundary;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

import org.springframework.aop.Advisor;
import org.springframework.aop.config.AopConfigUtils;
import org.springframework.aop.framework.Advised;
import org.springframework.aop.framework.AopProxyUtils;
import org.springframework.aop.framework.ProxyConfig;
import org.springframework.aop.framework.autoproxy.AutoProxyUtils;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.core.Ordered;
import org.springframework.util.ClassUtils;

/**
 * Verifies that the proxy of a bean locks each call of the annotated methods, outside
 * transactions.
 */
final class ProxyVerifier {

	private static final Log logger = LogFactory.getLog(ProxyVerifier.class);

	private final TransactionBoundary transactions = TransactionBoundary.create();

	/** Methods for which a warning has been logged that they are not locked. */
	private final Set<LockedMethod> warned = ConcurrentHashMap.newKeySet();

	private final DistributedLockAdvisor advisor;

	ProxyVerifier(DistributedLockAdvisor advisor) {
		this.advisor = advisor;
	}

	/**
	 * Refuse a bean with locked methods if a class-based proxy would have to extend its
	 * class and cannot. Must be called before the proxy is created: the exception of
	 * CGLIB does not name the annotation.
	 */
	static void verifyClass(LockedMethod method, String beanName, ConfigurableListableBeanFactory beanFactory) {
		Class<?> type = method.beanClass();
		boolean closed = (Modifier.isFinal(type.getModifiers()) || type.isSealed()) && !Proxy.isProxyClass(type)
				&& !ClassUtils.isLambdaClass(type);
		if (closed
				&& (isClassProxied(beanName, beanFactory) || ClassUtils.getAllInterfacesForClass(type).length == 0)) {
			throw method
				.refuse("is in a final or sealed class, which a class-based proxy cannot extend: make the class "
						+ "non-final, or have it implement an interface and use interface-based proxies "
						+ "(spring.aop.proxy-target-class=false)");
		}
	}

	private static boolean isClassProxied(String beanName, ConfigurableListableBeanFactory beanFactory) {
		return AutoProxyUtils.shouldProxyTargetClass(beanFactory, beanName)
				|| beanFactory.getBean(AopConfigUtils.AUTO_PROXY_CREATOR_BEAN_NAME) instanceof ProxyConfig config
						&& config.isProxyTargetClass();
	}

	/**
	 * Refuse a bean whose method would run without its lock, or with the lock inside the
	 * transaction.
	 * @param bean the bean, or its proxy if it has one
	 * @param declaration one of its annotated methods
	 */
	void verify(Object bean, LockDeclaration declaration) {
		LockedMethod method = declaration.method();
		if (!(bean instanceof Advised advised)) {
			throw method.refuse("would not be locked: the bean has no proxy, because it was created before the proxy "
					+ "creators, or because beans of its kind get none. Move the method to a bean that is created "
					+ "later, such as one that no BeanPostProcessor depends on");
		}
		List<Advisor> chain = Arrays.asList(advised.getAdvisors());
		int position = chain.indexOf(this.advisor);
		if (position < 0 && AopProxyUtils.getSingletonTarget(bean) instanceof Advised inner) {
			// A proxy around the proxy of another bean.
			verify(inner, declaration);
			return;
		}
		if (position < 0) {
			throw method
				.refuse("would not be locked: the proxy of the bean was created without the lock's advisor. Let "
						+ "Spring create the proxy, in the application context that has distlock, or write the annotation on "
						+ "the interface that the proxy implements");
		}
		verifyReach(bean, declaration);
		chain.subList(0, position).forEach((outer) -> verifyOrder(outer, method));
	}

	private void verifyReach(Object bean, LockDeclaration declaration) {
		LockedMethod method = declaration.method();
		int modifiers = method.method().getModifiers();
		if (AopUtils.isJdkDynamicProxy(bean)) {
			boolean exposed = Arrays.stream(bean.getClass().getInterfaces()).anyMatch((type) -> exposes(type, method));
			if (!exposed && !declaration.onClass()) {
				throw method.refuse("would not be locked: the bean's proxy implements only its interfaces, and none of "
						+ "them has the method. Add it to one of them, or use class-based proxies "
						+ "(proxyTargetClass = true)");
			}
		}
		else if (declaration.isInheritedFinal()) {
			if (this.warned.add(method)) {
				logger.warn("@DistributedLock on the class of " + method + " does not lock this method, because it is "
						+ "final and a class-based proxy cannot intercept it: calls of it run without the lock. To avoid "
						+ "this warning, annotate the methods that need a lock instead of the class");
			}
		}
		else if (Modifier.isFinal(modifiers)) {
			throw method.refuse("is on a final method, which a class-based proxy cannot intercept: it would not be "
					+ "locked. Make it non-final, or have the bean implement an interface and use interface-based "
					+ "proxies (spring.aop.proxy-target-class=false)");
		}
		else if (!Modifier.isPublic(modifiers) && !Modifier.isProtected(modifiers) && foreign(method.method(), bean)) {
			throw method.refuse("is on a package-private method of another package than the bean's class, which its "
					+ "proxy cannot intercept: it would not be locked. Make it public or protected");
		}
	}

	private static boolean exposes(Class<?> type, LockedMethod method) {
		return Arrays.stream(type.getMethods())
			.anyMatch((exposed) -> exposed.equals(method.method())
					|| AopUtils.getMostSpecificMethod(exposed, method.beanClass()).equals(method.method()));
	}

	private static boolean foreign(Method method, Object bean) {
		Class<?> declaring = method.getDeclaringClass();
		Class<?> proxy = bean.getClass();
		return !declaring.getPackageName().equals(proxy.getPackageName())
				|| declaring.getClassLoader() != proxy.getClassLoader();
	}

	private void verifyOrder(Advisor outer, LockedMethod method) {
		if (this.transactions.demarcates(outer, method.method(), method.beanClass())) {
			Object order = (outer instanceof Ordered ordered) ? ordered.getOrder() : "none";
			throw method
				.refuse("would be locked inside of its transaction and released before the commit: the order of "
						+ "the transaction advisor (" + order + ") comes before that of the lock advisor ("
						+ this.advisor.getOrder() + "). Set distlock.aop.order to a lower number than " + order
						+ ", or the order of @EnableTransactionManagement to a higher one than "
						+ this.advisor.getOrder());
		}
	}

}
