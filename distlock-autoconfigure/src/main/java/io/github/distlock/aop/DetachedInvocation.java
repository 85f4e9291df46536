package io.github.distlock.aop;

import io.github.distlock.aop.weaving.WovenInvocation;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

import org.springframework.aop.ProxyMethodInvocation;
import org.springframework.aop.interceptor.ExposeInvocationInterceptor;

/**
 * A call that goes on after its interceptor has returned, on another thread. It has
 * arguments and a place in the chain of its own, and is exposed to the advice inside of
 * it, which would look for it in vain on that thread.
 *
 * @param call the copy
 */
record DetachedInvocation(MethodInvocation call) implements InvocationDecorator {

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

}
