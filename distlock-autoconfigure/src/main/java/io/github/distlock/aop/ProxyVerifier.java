package io.github.distlock.aop;

import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;
import java.util.Arrays;
import java.util.List;

import io.github.distlock.aop.weaving.LockWeaving;
import io.github.distlock.transaction.TransactionBoundary;

import org.springframework.aop.Advisor;
import org.springframework.aop.config.AopConfigUtils;
import org.springframework.aop.framework.Advised;
import org.springframework.aop.framework.AopProxyUtils;
import org.springframework.aop.framework.ProxyConfig;
import org.springframework.aop.framework.autoproxy.AutoProxyUtils;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.util.ClassUtils;

/**
 * Verifies that the lock is around each call of the annotated methods of a bean, and
 * outside transactions: that the proxy of the bean has the lock, or that it is woven into
 * the method.
 */
final class ProxyVerifier {

	private final TransactionBoundary transactions = TransactionBoundary.create();

	private final DistributedLockAdvisor advisor;

	ProxyVerifier(DistributedLockAdvisor advisor) {
		this.advisor = advisor;
	}

	/**
	 * Refuse a bean with locked methods if a class-based proxy would have to extend its
	 * class and cannot. Must be called before the proxy is created: the exception of
	 * CGLIB does not name the annotation.
	 */
	void verifyClass(LockedMethod method, String beanName, ConfigurableListableBeanFactory beanFactory) {
		Class<?> type = method.beanClass();
		boolean closed = (Modifier.isFinal(type.getModifiers()) || type.isSealed()) && !Proxy.isProxyClass(type)
				&& !ClassUtils.isLambdaClass(type);
		if (closed && this.advisor.mode() == AopMode.PROXY
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
	 * @param annotation the annotation of one of its methods
	 */
	void verify(Object bean, LockAnnotation annotation) {
		if (this.advisor.mode() == AopMode.PROXY) {
			verifyProxy(bean, annotation);
		}
		else {
			verifyWoven(bean, annotation.method());
		}
	}

	private void verifyProxy(Object bean, LockAnnotation annotation) {
		LockedMethod method = annotation.method();
		if (!(bean instanceof Advised advised)) {
			throw method.refuse("would not be locked: the bean has no proxy, because it was created before the proxy "
					+ "creators, or because beans of its kind get none. Move the method to a bean that is created "
					+ "later, such as one that no BeanPostProcessor depends on");
		}
		List<Advisor> chain = Arrays.asList(advised.getAdvisors());
		int position = chain.indexOf(this.advisor);
		if (position < 0 && AopProxyUtils.getSingletonTarget(bean) instanceof Advised inner) {
			// A proxy around the proxy of another bean.
			verifyProxy(inner, annotation);
			return;
		}
		if (position < 0) {
			throw method
				.refuse("would not be locked: the proxy of the bean was created without the lock's advisor. Let "
						+ "Spring create the proxy, in the application context that has distlock, or write the annotation on "
						+ "the interface that the proxy implements");
		}
		verifyReach(bean, annotation);
		for (Advisor outer : chain.subList(0, position)) {
			if (this.transactions.demarcates(outer, method.method(), method.beanClass())) {
				throw method.refuse("would be locked inside of its transaction and released before the commit: the "
						+ "transaction advisor comes before the lock advisor (order " + this.advisor.getOrder()
						+ "). Set distlock.aop.order to a lower number than the order of @EnableTransactionManagement, or "
						+ "that order to a higher one");
			}
		}
	}

	private static void verifyReach(Object bean, LockAnnotation annotation) {
		LockedMethod method = annotation.method();
		if (!AopUtils.isJdkDynamicProxy(bean)) {
			if (Modifier.isFinal(method.method().getModifiers())) {
				throw method.refuse("is on a final method, which a class-based proxy cannot intercept: it would not be "
						+ "locked. Make it non-final, or have the bean implement an interface and use interface-based "
						+ "proxies (spring.aop.proxy-target-class=false)");
			}
		}
		else if (!annotation.isOnClass()
				&& Arrays.stream(bean.getClass().getInterfaces()).noneMatch((type) -> exposes(type, method))) {
			throw method.refuse("would not be locked: the bean's proxy implements only its interfaces, and none of "
					+ "them has the method. Add it to one of them, or use class-based proxies (proxyTargetClass = true)");
		}
	}

	private static boolean exposes(Class<?> type, LockedMethod method) {
		return Arrays.stream(type.getMethods())
			.anyMatch((exposed) -> exposed.equals(method.method())
					|| AopUtils.getMostSpecificMethod(exposed, method.beanClass()).equals(method.method()));
	}

	private void verifyWoven(Object bean, LockedMethod method) {
		if (!LockWeaving.isLocked(method.method())) {
			throw method
				.refuse("would not be locked: distlock.aop.mode is aspectj, and no weaver of AspectJ has put the "
						+ "lock around the method. Start the JVM with -javaagent:aspectjweaver.jar "
						+ "(org.aspectj:aspectjweaver); write the annotation, or one that is annotated with it, on the method "
						+ "itself or on the class that declares it; include the class in META-INF/aop.xml, if there is one; or "
						+ "set distlock.aop.mode to proxy");
		}
		if (bean instanceof Advised advised && Arrays.stream(advised.getAdvisors())
			.anyMatch((outer) -> this.transactions.demarcates(outer, method.method(), method.beanClass()))) {
			throw method.refuse("would be locked inside of its transaction: the lock is woven into the method, and the "
					+ "transaction is begun by the proxy around it. Weave transactions, too "
					+ "(@EnableTransactionManagement(mode = AdviceMode.ASPECTJ) and spring-aspects), begin the "
					+ "transaction in a method that the locked one calls, or set distlock.aop.mode to proxy");
		}
	}

}
