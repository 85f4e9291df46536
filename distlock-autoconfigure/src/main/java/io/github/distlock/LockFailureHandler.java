package io.github.distlock;

import org.jspecify.annotations.Nullable;

/**
 * Decides what callers of annotated methods get when the lock is not to be had. A bean of
 * this type decides for all methods whose annotation has neither {@link OnFailure#SKIP}
 * nor a {@link DistributedLock#fallback() fallback}; of several beans one must be
 * {@code @Primary}. The method itself does not run. Called on the thread that would have
 * run it, or on one of the library for asynchronous results.
 * <p>
 * It is not asked when a wait was interrupted, a key was no key or a lock was lost: these
 * always go to the caller.
 */
@FunctionalInterface
public interface LockFailureHandler {

	/**
	 * The wait time has passed.
	 * @param failure what happened
	 * @return what the caller gets; must be of the method's return type, and is ignored
	 * if that is {@code void}
	 * @throws Exception what the caller gets instead, such as
	 * {@link LockFailure#exception()}
	 */
	@Nullable Object notAcquired(LockFailure failure) throws Exception;

	/**
	 * The lock store failed, so that nobody knows who holds the lock. Unless it is
	 * overridden the caller gets the exception.
	 * @param failure what happened
	 * @return what the caller gets, as in {@link #notAcquired}
	 * @throws Exception what the caller gets instead
	 */
	default @Nullable Object storeFailed(LockFailure failure) throws Exception {
		throw failure.exception();
	}

}
