package io.github.distlock.aop;

import java.util.List;

import io.github.distlock.HeldLock;
import io.github.distlock.LockException;

/**
 * How an asynchronous wait for the locks of a call has ended.
 */
sealed interface AsyncAnswerOfLocks {

	/**
	 * All were had.
	 *
	 * @param locks in the order in which they were taken
	 */
	record Entered(List<HeldLock> locks) implements AsyncAnswerOfLocks {
	}

	/**
	 * One was not to be had; those before it have been given back.
	 *
	 * @param missing the lock
	 * @param problem why
	 */
	record Refused(LockTarget missing, LockException problem) implements AsyncAnswerOfLocks {
	}

}
