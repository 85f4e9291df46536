package io.github.distlock.test;

import java.time.Duration;

import io.github.distlock.LockRegistry;
import io.github.distlock.LockRequest;
import io.github.distlock.registry.BackendLockRegistry;
import io.github.distlock.registry.CompositeLockRegistry;
import io.github.distlock.registry.PrefixedLockRegistry;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

import org.springframework.aop.framework.ProxyFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanPostProcessor;

/**
 * Makes requests that cannot succeed fail without a wait in tests: a request for a key
 * that the test has taken, or for a store that the test has broken, tries once. The
 * request still goes through to the backend.
 */
final class ImmediateRefusalPostProcessor implements BeanPostProcessor, MethodInterceptor {

	private final ObjectProvider<ControlledBackends> stores;

	ImmediateRefusalPostProcessor(ObjectProvider<ControlledBackends> stores) {
		this.stores = stores;
	}

	@Override
	public Object postProcessAfterInitialization(Object bean, String beanName) {
		Object registry = (bean instanceof PrefixedLockRegistry prefixed) ? prefixed.registry() : bean;
		if (registry instanceof BackendLockRegistry backendRegistry) {
			this.stores.getObject().add(backendRegistry);
		}
		if (registry instanceof BackendLockRegistry || registry instanceof CompositeLockRegistry) {
			ProxyFactory proxy = new ProxyFactory(LockRegistry.class, this);
			proxy.setTarget(registry);
			LockRegistry refusing = (LockRegistry) proxy.getProxy();
			return (bean instanceof PrefixedLockRegistry prefixed) ? prefixed.over(refusing) : refusing;
		}
		return bean;
	}

	@Override
	public @Nullable Object invoke(MethodInvocation invocation) throws Throwable {
		// Changes to this array change the arguments of the invocation.
		Object[] arguments = invocation.getArguments();
		for (int i = 0; i < arguments.length; i++) {
			if (arguments[i] instanceof LockRequest request && this.stores.getObject().refuse(request.key())) {
				arguments[i] = request.waitTime(Duration.ZERO);
			}
		}
		return invocation.proceed();
	}

}
