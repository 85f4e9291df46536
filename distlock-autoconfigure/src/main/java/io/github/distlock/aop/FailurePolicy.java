package io.github.distlock.aop;

import io.github.distlock.LockFailure;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

/**
 * What the caller of a method gets whose lock is not to be had.
 */
interface FailurePolicy {

	/**
	 * Return or throw what the caller of the method gets.
	 * @param invocation the call
	 * @param failure the lock, and the exception that says why it was not acquired
	 * @return a value of the method's return type
	 * @throws Throwable what the caller gets instead
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
