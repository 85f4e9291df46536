package io.github.distlock.aop;

import java.util.function.Supplier;

import io.github.distlock.LockFailure;
import io.github.distlock.LockFailureHandler;
import io.github.distlock.LockNotAcquiredException;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

/**
 * Determines what the caller gets if the lock is not acquired.
 */
@FunctionalInterface
interface FailurePolicy {

	/**
	 * Determine what the caller gets.
	 * @param invocation the call
	 * @param failure the lock, and the exception with the reason
	 * @return a value of the method's return type
	 * @throws Throwable the exception for the caller
	 */
	@Nullable Object result(MethodInvocation invocation, LockFailure failure) throws Throwable;

	/**
	 * Return the policy of annotations that set neither a fallback nor {@code SKIP}: the
	 * handler of the application decides. Without one, the caller gets the exception.
	 * @param handlers provides the handler, or {@code null} if there is none
	 */
	static FailurePolicy of(Supplier<@Nullable LockFailureHandler> handlers) {
		return (invocation, failure) -> {
			LockFailureHandler handler = handlers.get();
			if (handler == null) {
				throw failure.exception();
			}
			return (failure.exception() instanceof LockNotAcquiredException) ? handler.notAcquired(failure)
					: handler.storeFailed(failure);
		};
	}

}
