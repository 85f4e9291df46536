package io.github.distlock;

import org.jspecify.annotations.Nullable;

/**
 * Decides what callers of annotated methods get if the lock is not acquired. The method
 * itself does not run.
 * <p>
 * A bean of this type decides for all methods whose annotation has neither
 * {@link OnFailure#SKIP} nor a {@link DistributedLock#fallback() fallback}. If there are
 * several beans, one of them must be {@code @Primary}. The handler is called on the
 * thread that would have run the method, or, for asynchronous results, on a thread of the
 * library.
 * <p>
 * It is not called for an interrupted wait, an invalid key or a lost lock: those
 * exceptions always reach the caller.
 */
@FunctionalInterface
public interface LockFailureHandler {

	/**
	 * Handle a call whose wait time has passed.
	 * @param failure the failed call
	 * @return the result for the caller; must have the return type of the method, and is
	 * ignored if that is {@code void}
	 * @throws Exception the exception for the caller, such as
	 * {@link LockFailure#exception()}
	 */
	@Nullable Object notAcquired(LockFailure failure) throws Exception;

	/**
	 * Handle a call for which the lock store failed, so that it is unknown which caller
	 * holds the lock. By default, the caller gets the exception.
	 * @param failure the failed call
	 * @return the result for the caller, as in {@link #notAcquired}
	 * @throws Exception the exception for the caller
	 */
	default @Nullable Object storeFailed(LockFailure failure) throws Exception {
		throw failure.exception();
	}

}
