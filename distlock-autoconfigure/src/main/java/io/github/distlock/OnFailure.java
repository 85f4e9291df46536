package io.github.distlock;

/**
 * What happens to a call that does not get its lock in time.
 */
public enum OnFailure {

	/**
	 * Throw {@link LockNotAcquiredException}, unless there is a
	 * {@link DistributedLock#fallback() fallback} or a {@link LockFailureHandler}.
	 */
	THROW,

	/**
	 * Do not run the method: a {@code void} method just returns, an {@code Optional},
	 * {@code Collection}, {@code Map}, {@code Iterable}, {@code Stream} or array is
	 * empty, and new if it can be changed; another object is {@code null}. A primitive,
	 * and a collection of a class that has no empty one, cannot say that the method was
	 * skipped and is refused at start-up.
	 */
	SKIP

}
