package io.github.distlock.aop;

import java.util.ArrayList;
import java.util.List;

import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

import org.springframework.aop.ProxyMethodInvocation;
import org.springframework.validation.beanvalidation.MethodValidationInterceptor;

/**
 * The first half of Spring's method validation: validates the arguments, with the
 * validator and the groups of the interceptor that it stands for.
 *
 * @param interceptor Spring's interceptor, which validates arguments and results
 */
record ArgumentValidation(MethodValidationInterceptor interceptor) implements MethodInterceptor {

	/**
	 * Attribute of calls whose arguments are valid: a list of the interceptors that say
	 * so, since an application may have several. The list is immutable, because a copy of
	 * the call shares its attributes.
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
				List<Object> done = new ArrayList<>(done(call));
				done.add(this.interceptor);
				call.setUserAttribute(VALID, List.copyOf(done));
			}
		}
		return invocation.proceed();
	}

	/** Whether the arguments of a call were validated already by the same interceptor. */
	static boolean isDone(MethodInvocation invocation, MethodValidationInterceptor interceptor) {
		return invocation instanceof ProxyMethodInvocation call
				&& done(call).stream().anyMatch((done) -> done == interceptor);
	}

	private static List<?> done(ProxyMethodInvocation call) {
		return (call.getUserAttribute(VALID) instanceof List<?> interceptors) ? interceptors : List.of();
	}

	/**
	 * A call that ends where the method would begin.
	 *
	 * @param call the real one
	 */
	private record WithoutResult(MethodInvocation call) implements InvocationDecorator {

		@Override
		public @Nullable Object proceed() throws Throwable {
			throw new ArgumentsAreValid();
		}

	}

	/** Leads out of Spring's interceptor. Has no stack trace. */
	private static final class ArgumentsAreValid extends RuntimeException {

		private static final long serialVersionUID = 1L;

		ArgumentsAreValid() {
			super(null, null, false, false);
		}

	}

}
