package io.github.distlock;

/**
 * What happens to a call that does not get its lock in time.
 */
public enum OnFailure {

	/** Throw {@link LockNotAcquiredException}. */
	THROW,

	/**
	 * Do not run the method: a {@code void} method just returns, an {@code Optional} is
	 * empty, another object is {@code null}. A method that returns a primitive cannot say
	 * that it was skipped and is refused at start-up.
	 */
	SKIP

}
