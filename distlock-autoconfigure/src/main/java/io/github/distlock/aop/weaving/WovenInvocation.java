package io.github.distlock.aop.weaving;

import java.lang.reflect.AccessibleObject;
import java.lang.reflect.Method;

import org.aopalliance.intercept.MethodInvocation;
import org.aspectj.lang.ProceedingJoinPoint;
import org.aspectj.lang.reflect.MethodSignature;
import org.jspecify.annotations.Nullable;

/**
 * Adapts the call of a woven method to the interface for interceptors.
 */
public final class WovenInvocation implements MethodInvocation {

	private final ProceedingJoinPoint call;

	/** May be changed before the call proceeds, as in proxies. */
	private final Object[] arguments;

	WovenInvocation(ProceedingJoinPoint call) {
		this(call, call.getArgs());
	}

	private WovenInvocation(ProceedingJoinPoint call, Object[] arguments) {
		this.call = call;
		this.arguments = arguments;
	}

	/**
	 * Copy the call, so that it can proceed several times.
	 * @return the same call with its own arguments
	 */
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
