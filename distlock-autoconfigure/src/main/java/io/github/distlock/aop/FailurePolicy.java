package io.github.distlock.aop;

import io.github.distlock.LockFailure;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

/**
 * Determines what the caller gets if the lock is not acquired.
 */
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
	 * Whether a call that does not get the lock in time returns {@link #emptyResult()},
	 * for which no exception is needed.
	 */
	default boolean isSkip() {
		return false;
	}

	/** The result of a skipped call, {@code null} unless this policy skips. */
	default @Nullable Object emptyResult() {
		return null;
	}

}
