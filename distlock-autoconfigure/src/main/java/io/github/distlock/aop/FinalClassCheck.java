package io.github.distlock.aop;

import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;

import org.springframework.aop.config.AopConfigUtils;
import org.springframework.aop.framework.ProxyConfig;
import org.springframework.aop.framework.autoproxy.AutoProxyUtils;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.util.ClassUtils;

/**
 * Refuses a bean with locked methods if a class-based proxy would have to extend its
 * class and cannot. Must be called before the proxy is created: the exception of CGLIB
 * does not name the annotation.
 */
final class FinalClassCheck {

	private FinalClassCheck() {
	}

	static void check(LockedMethod method, String beanName, ConfigurableListableBeanFactory beanFactory) {
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

}
