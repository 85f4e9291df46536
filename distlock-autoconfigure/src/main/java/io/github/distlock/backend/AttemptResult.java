package io.github.distlock.backend;

import java.time.Duration;

/**
 * The answer of a store to an attempt.
 */
public sealed interface AttemptResult {

	/**
	 * The ticket holds the lock.
	 *
	 * @param grant the grant
	 */
	record Granted(Grant grant) implements AttemptResult {
	}

	/**
	 * Another ticket holds the lock or waits for it; this ticket was not queued.
	 *
	 * @param remaining how long the lock is still held unless its lease is renewed
	 */
	record Busy(Duration remaining) implements AttemptResult {
	}

	/**
	 * The ticket waits in the store's order and will be signalled.
	 *
	 * @param retryAfter the delay after which the ticket attempts again without a signal,
	 * jitter included. It is not longer than the shortest lease of the holders, which may
	 * have died
	 * @param queuedNow whether the ticket was not queued before
	 */
	record Queued(Duration retryAfter, boolean queuedNow) implements AttemptResult {
	}

}
