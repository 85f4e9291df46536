package io.github.distlock.aop.weaving;

import java.lang.reflect.AccessibleObject;
import java.lang.reflect.Method;

import org.aopalliance.intercept.MethodInvocation;
import org.aspectj.lang.ProceedingJoinPoint;
import org.aspectj.lang.reflect.MethodSignature;
import org.jspecify.annotations.Nullable;

/**
 * A call of a woven method, as the interceptor of proxies knows calls.
 */
public final class WovenInvocation implements MethodInvocation {

	private final ProceedingJoinPoint call;

	/** May be changed before the call goes on, as with proxies. */
	private final Object[] arguments;

	WovenInvocation(ProceedingJoinPoint call) {
		this(call, call.getArgs());
	}

	private WovenInvocation(ProceedingJoinPoint call, Object[] arguments) {
		this.call = call;
		this.arguments = arguments;
	}

	/** The same call, with arguments of its own: it may go on more than once. */
	public WovenInvocation copy() {
		return new WovenInvocation(this.call, this.arguments.clone());
	}

	@Override
	public Method getMethod() {
		return ((MethodSignature) this.call.getSignature()).getMethod();
	}

	@Override
	public Object[] getArguments() {
		return this.arguments;
	}

	@Override
	public @Nullable Object proceed() throws Throwable {
		return this.call.proceed(this.arguments);
	}

	@Override
	public @Nullable Object getThis() {
		return this.call.getThis();
	}

	@Override
	public AccessibleObject getStaticPart() {
		return getMethod();
	}

}
