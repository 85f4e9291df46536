package io.github.distlock;

/**
 * How an attempt to acquire a lock ended.
 */
public enum LockOutcome {

	/** The lock was acquired. */
	ACQUIRED,

	/** The wait time has passed and the caller got an exception or {@code false}. */
	TIMEOUT,

	/**
	 * As many callers of this JVM as may wait for the key waited already. The caller got
	 * an exception, or chose to continue without the lock.
	 */
	TOO_MANY_WAITING,

	/**
	 * The wait time has passed and the caller had chosen to continue without the lock.
	 */
	SKIPPED,

	/** The waiting thread was interrupted, or the waiting future was cancelled. */
	INTERRUPTED,

	/** The lock store failed. */
	BACKEND_ERROR,

	/** The key or another part of the definition was rejected at call time. */
	INVALID

}
