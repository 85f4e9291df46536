package io.github.distlock.aop;

import io.github.distlock.LockException;
import org.jspecify.annotations.Nullable;

/**
 * What the caller of a method gets whose lock is not to be had.
 */
interface FailurePolicy {

	/**
	 * Decide.
	 * @param call the call
	 * @param missing the lock
	 * @param problem the wait time has passed, or the store failed
	 * @return a value of the method's return type
	 * @throws Throwable what the caller gets instead
	 */
	@Nullable Object result(LockedCall call, WantedLock missing, LockException problem) throws Throwable;

}
