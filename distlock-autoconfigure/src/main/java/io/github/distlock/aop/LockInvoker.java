package io.github.distlock.aop;

import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

/**
 * Runs a call under its locks: decides when they are acquired, on which threads, and when
 * they are released. There is one implementation for each {@link ReturnKind}.
 */
interface LockInvoker {

	/**
	 * Run a call under its locks, or handle that they are not acquired.
	 * @param locks the definitions of the method that is called
	 * @param invocation the call
	 * @return the result for the caller
	 * @throws Throwable the exception for the caller
	 */
	@Nullable Object invoke(MethodLocks locks, MethodInvocation invocation) throws Throwable;

}
