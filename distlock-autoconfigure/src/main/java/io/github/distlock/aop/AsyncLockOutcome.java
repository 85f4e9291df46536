package io.github.distlock.aop;

import java.util.List;

import io.github.distlock.HeldLock;
import io.github.distlock.LockException;
import org.jspecify.annotations.Nullable;

/**
 * The outcome of an asynchronous wait for the locks of a call.
 */
sealed interface AsyncLockOutcome {

	/** The locks to release, in the order in which they were acquired. */
	List<HeldLock> locks();

	/**
	 * Determine what the caller of the asynchronous method gets.
	 * @param call the call
	 * @return the result of the method or, without the locks, that of the failure policy
	 * @throws Throwable the exception of the method or of the failure policy
	 */
	default Object result(LockedInvocation call) throws Throwable {
		Object result = resultOrNull(call);
		if (result == null) {
			LockedMethod method = call.locks().method();
			throw new IllegalStateException(method + " returned null, or its fallback did: return a "
					+ method.returnType().getSimpleName() + ", an empty one if there is no value");
		}
		return result;
	}

	@Nullable Object resultOrNull(LockedInvocation call) throws Throwable;

	/**
	 * All locks are acquired.
	 *
	 * @param locks in the order in which they were acquired; none if the call needs none
	 */
	record Acquired(List<HeldLock> locks) implements AsyncLockOutcome {

		@Override
		public @Nullable Object resultOrNull(LockedInvocation call) throws Throwable {
			return this.locks.isEmpty() ? call.invocation().proceed() : call.proceed(this.locks);
		}

	}

	/**
	 * A lock was not acquired. Those before it have been released.
	 *
	 * @param target the lock
	 * @param problem why it was not acquired
	 */
	record NotAcquired(LockTarget target, LockException problem) implements AsyncLockOutcome {

		@Override
		public List<HeldLock> locks() {
			return List.of();
		}

		@Override
		public @Nullable Object resultOrNull(LockedInvocation call) throws Throwable {
			return call.withoutLock(this.target, this.problem);
		}

	}

}
