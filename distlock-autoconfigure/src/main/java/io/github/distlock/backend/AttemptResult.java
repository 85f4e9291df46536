package io.github.distlock.backend;

import java.time.Duration;

/**
 * What a store answers to an attempt.
 */
public sealed interface AttemptResult {

	/**
	 * The ticket holds the lock.
	 *
	 * @param grant what it was given
	 */
	record Granted(Grant grant) implements AttemptResult {
	}

	/**
	 * Somebody else holds the lock, or waits for it; the ticket was not remembered.
	 *
	 * @param remaining how long the lock is held if nobody renews it
	 */
	record Busy(Duration remaining) implements AttemptResult {
	}

	/**
	 * The ticket waits in the store's order and will be signalled.
	 *
	 * @param lookAgain when another attempt is worth its while even without a signal,
	 * jitter included: not after the end of the first lease of those who hold, who may
	 * have died
	 * @param queuedNow whether the store did not know the ticket until now
	 */
	record Waiting(Duration lookAgain, boolean queuedNow) implements AttemptResult {
	}

}
