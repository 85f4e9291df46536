package io.github.distlock.aop;

import io.github.distlock.HeldLock;
import io.github.distlock.LockContext;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

/**
 * One call of a locked method: which lock it needs, and how it goes on with and without
 * it.
 *
 * @param wanted the lock
 * @param invocation the call
 */
record LockedCall(WantedLock wanted, MethodInvocation invocation) {

	/**
	 * Run the method, with the lock as the current one.
	 */
	@Nullable Object proceed(HeldLock lock) throws Throwable {
		LockContext.Scope scope = LockContext.open(lock);
		try {
			return this.invocation.proceed();
		}
		finally {
			scope.close();
		}
	}

	/**
	 * Say what the caller gets when the wait time has passed and the call is skipped.
	 */
	@Nullable Object skipped() {
		return SkippedResult.of(this.invocation.getMethod().getReturnType());
	}

}
