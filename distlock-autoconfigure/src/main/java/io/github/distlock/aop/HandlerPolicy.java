package io.github.distlock.aop;

import java.util.function.Supplier;

import io.github.distlock.LockDefinitionException;
import io.github.distlock.LockException;
import io.github.distlock.LockFailure;
import io.github.distlock.LockFailureHandler;
import io.github.distlock.LockNotAcquiredException;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

import org.springframework.util.ClassUtils;

/**
 * The annotation says nothing: the application's {@link LockFailureHandler} decides, and
 * without one the caller gets the exception.
 *
 * @param handler gives the handler, or {@code null} if there is none
 * @param method the locked method
 */
record HandlerPolicy(Supplier<@Nullable LockFailureHandler> handler, LockedMethod method) implements FailurePolicy {

	@Override
	public @Nullable Object result(MethodInvocation invocation, LockFailure failure) throws Throwable {
		LockFailureHandler asked = this.handler.get();
		if (asked == null) {
			throw failure.exception();
		}
		Object result = (failure.exception() instanceof LockNotAcquiredException) ? asked.notAcquired(failure)
				: asked.storeFailed(failure);
		return checked(result, asked, failure.exception());
	}

	private @Nullable Object checked(@Nullable Object result, LockFailureHandler asked, LockException problem) {
		Class<?> type = this.method.method().getReturnType();
		if (type == void.class) {
			return null;
		}
		boolean fits = (result != null) ? ClassUtils.isAssignableValue(type, result) : !type.isPrimitive();
		if (!fits) {
			String described = (result != null) ? "an instance of " + result.getClass().getTypeName() : "null";
			LockDefinitionException misfit = new LockDefinitionException("The LockFailureHandler "
					+ asked.getClass().getName() + " returned " + described + " for " + this.method + ", which returns "
					+ type.getTypeName() + ": return a value of that type, or throw an exception", problem);
			throw misfit;
		}
		return result;
	}

}
