package io.github.distlock.aop;

import java.lang.reflect.AccessibleObject;
import java.lang.reflect.Method;

import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

/**
 * A call that changes how another call proceeds.
 */
interface InvocationDecorator extends MethodInvocation {

	/** The other call. */
	MethodInvocation call();

	@Override
	default Method getMethod() {
		return call().getMethod();
	}

	@Override
	default Object[] getArguments() {
		return call().getArguments();
	}

	@Override
	default @Nullable Object getThis() {
		return call().getThis();
	}

	@Override
	default AccessibleObject getStaticPart() {
		return call().getStaticPart();
	}

}
