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
 * The policy of annotations that set neither a fallback nor {@code SKIP}: calls the
 * {@link LockFailureHandler} of the application. Without one, the caller gets the
 * exception.
 *
 * @param handler provides the handler, or {@code null} if there is none
 * @param method the locked method
 */
record HandlerPolicy(Supplier<@Nullable LockFailureHandler> handler, LockedMethod method) implements FailurePolicy {

	@Override
	public @Nullable Object result(MethodInvocation invocation, LockFailure failure) throws Throwable {
		LockFailureHandler handler = this.handler.get();
		if (handler == null) {
			throw failure.exception();
		}
		Object result = (failure.exception() instanceof LockNotAcquiredException) ? handler.notAcquired(failure)
				: handler.storeFailed(failure);
		return checked(result, handler, failure.exception());
	}

	private @Nullable Object checked(@Nullable Object result, LockFailureHandler handler, LockException problem) {
		Class<?> type = this.method.method().getReturnType();
		if (type == void.class) {
			return null;
		}
		boolean fits = (result != null) ? ClassUtils.isAssignableValue(type, result) : !type.isPrimitive();
		if (!fits) {
			String described = (result != null) ? "an instance of " + result.getClass().getTypeName() : "null";
			LockDefinitionException misfit = new LockDefinitionException("The LockFailureHandler "
					+ handler.getClass().getName() + " returned " + described + " for " + this.method
					+ ", which returns " + type.getTypeName() + ": return a value of that type, or throw an exception",
					problem);
			throw misfit;
		}
		return result;
	}

}
