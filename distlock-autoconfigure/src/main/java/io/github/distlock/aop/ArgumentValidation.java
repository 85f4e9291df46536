package io.github.distlock.aop;

import java.util.ArrayList;
import java.util.List;

import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

import org.springframework.aop.ProxyMethodInvocation;
import org.springframework.validation.beanvalidation.MethodValidationInterceptor;

/**
 * The first half of Spring's method validation: validates the arguments before the lock
 * is acquired. It uses Spring's interceptor for that, and so its validator and groups.
 *
 * @param interceptor Spring's interceptor, which validates arguments and results
 */
record ArgumentValidation(MethodValidationInterceptor interceptor) implements MethodInterceptor {

	/**
	 * Attribute of calls with valid arguments: a list of the interceptors that have
	 * validated them, because an application may have several. The list is immutable,
	 * because a copy of the call shares its attributes.
	 */
	private static final String VALID = ArgumentValidation.class.getName();

	@Override
	public @Nullable Object invoke(MethodInvocation invocation) throws Throwable {
		if (invocation.getThis() == null) {
			// The interceptor needs the proxy then: it validates at its own declaration.
			return invocation.proceed();
		}
		try {
			this.interceptor.invoke(new WithoutResult(invocation));
		}
		catch (ArgumentsAreValid ex) {
			if (invocation instanceof ProxyMethodInvocation call) {
				List<Object> interceptors = new ArrayList<>(validatedBy(call));
				interceptors.add(this.interceptor);
				call.setUserAttribute(VALID, List.copyOf(interceptors));
			}
		}
		return invocation.proceed();
	}

	/** Whether this interceptor has already validated the arguments of a call. */
	static boolean isValidatedBy(MethodInvocation invocation, MethodValidationInterceptor interceptor) {
		return invocation instanceof ProxyMethodInvocation call
				&& validatedBy(call).stream().anyMatch((other) -> other == interceptor);
	}

	private static List<?> validatedBy(ProxyMethodInvocation call) {
		return (call.getUserAttribute(VALID) instanceof List<?> interceptors) ? interceptors : List.of();
	}

	/**
	 * A call that ends before the method begins, so that the interceptor validates only
	 * the arguments.
	 *
	 * @param call the real call
	 */
	private record WithoutResult(MethodInvocation call) implements InvocationDecorator {

		@Override
		public @Nullable Object proceed() throws Throwable {
			throw new ArgumentsAreValid();
		}

	}

	/** Ends the call of Spring's interceptor. Has no stack trace. */
	private static final class ArgumentsAreValid extends RuntimeException {

		private static final long serialVersionUID = 1L;

		ArgumentsAreValid() {
			super(null, null, false, false);
		}

	}

}
