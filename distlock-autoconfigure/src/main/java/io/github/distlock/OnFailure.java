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
	 * Do not run the method. A {@code void} method returns. A result of type
	 * {@code Optional}, {@code Collection}, {@code Map}, {@code Iterable}, {@code Stream}
	 * or array is empty, and a new object if it can be modified. Any other object is
	 * {@code null}. Startup refuses a primitive type, and a collection type without an
	 * empty value, since such a result cannot show that the method was skipped.
	 */
	SKIP

}
