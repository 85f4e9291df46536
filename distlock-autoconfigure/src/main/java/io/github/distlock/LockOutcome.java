package io.github.distlock;

/**
 * How an attempt to get a lock ended.
 */
public enum LockOutcome {

	/** The lock was acquired. */
	ACQUIRED,

	/** The wait time passed and the caller was told by an exception or {@code false}. */
	TIMEOUT,

	/** The wait time passed and the caller had asked to go on without the lock. */
	SKIPPED,

	/** The waiting thread was interrupted or the waiting future cancelled. */
	INTERRUPTED,

	/** The lock store failed. */
	BACKEND_ERROR,

	/** The key or another part of the definition was refused at call time. */
	INVALID

}
