package io.github.distlock.aop;

import java.lang.reflect.Method;
import java.util.function.Supplier;

import io.github.distlock.LockDefinitionException;
import io.github.distlock.LockException;
import io.github.distlock.LockFailure;
import io.github.distlock.LockFailureHandler;
import io.github.distlock.LockNotAcquiredException;
import org.jspecify.annotations.Nullable;

import org.springframework.util.ClassUtils;

/**
 * The annotation says nothing: the application's {@link LockFailureHandler} decides, and
 * without one the caller gets the exception.
 *
 * @param handler gives the handler, or nothing
 */
record FailureDecision(Supplier<@Nullable LockFailureHandler> handler) implements FailurePolicy {

	@Override
	public @Nullable Object result(LockedCall call, WantedLock missing, LockException problem) throws Throwable {
		LockFailureHandler asked = this.handler.get();
		if (asked == null) {
			throw problem;
		}
		LockedMethod where = missing.definition().where();
		LockFailure failure = new LockFailure(where.method(), missing.definition().name(),
				call.wanted().stream().map((wanted) -> wanted.request().key()).toList(), problem);
		Object result = (problem instanceof LockNotAcquiredException) ? asked.notAcquired(failure)
				: asked.storeFailed(failure);
		return fitting(result, asked, where, problem);
	}

	private static @Nullable Object fitting(@Nullable Object result, LockFailureHandler asked, LockedMethod where,
			LockException problem) {
		Method method = where.method();
		Class<?> type = method.getReturnType();
		if (type == void.class) {
			return null;
		}
		boolean fits = (result != null) ? ClassUtils.isAssignableValue(type, result) : !type.isPrimitive();
		if (!fits) {
			String described = (result != null) ? "an instance of " + result.getClass().getTypeName() : "null";
			LockDefinitionException misfit = new LockDefinitionException("The LockFailureHandler "
					+ asked.getClass().getName() + " returned " + described + " for " + where + ", which returns "
					+ type.getTypeName() + ": return a value of that type, or throw an exception", problem);
			throw misfit;
		}
		return result;
	}

}
