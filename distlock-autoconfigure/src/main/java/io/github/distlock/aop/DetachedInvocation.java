package io.github.distlock.aop;

import java.lang.reflect.AccessibleObject;
import java.lang.reflect.Method;

import io.github.distlock.aop.weaving.WovenInvocation;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

import org.springframework.aop.ProxyMethodInvocation;
import org.springframework.aop.interceptor.ExposeInvocationInterceptor;

/**
 * A call that continues on another thread after its interceptor has returned. It has its
 * own arguments and its own position in the chain of interceptors. It is also exposed on
 * that thread, because inner advice may look up the current invocation.
 *
 * @param call a copy of the call
 */
record DetachedInvocation(MethodInvocation call) implements MethodInvocation {

	static MethodInvocation of(MethodInvocation invocation) {
		if (invocation instanceof ProxyMethodInvocation proxied) {
			return new DetachedInvocation(proxied.invocableClone());
		}
		return (invocation instanceof WovenInvocation woven) ? woven.copy() : invocation;
	}

	@Override
	public @Nullable Object proceed() throws Throwable {
		return ExposeInvocationInterceptor.INSTANCE.invoke(this.call);
	}

	@Override
	public Method getMethod() {
		return this.call.getMethod();
	}

	@Override
	public Object[] getArguments() {
		return this.call.getArguments();
	}

	@Override
	public @Nullable Object getThis() {
		return this.call.getThis();
	}

	@Override
	public AccessibleObject getStaticPart() {
		return this.call.getStaticPart();
	}

}
