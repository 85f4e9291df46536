package io.github.distlock.backend;

import java.time.Duration;

import io.github.distlock.LockBackendException;
import io.github.distlock.backend.StoredLock.StoredHolder;
import org.jspecify.annotations.Nullable;

/**
 * The answer of a store to an attempt: a {@link Grant} if the ticket holds the lock.
 */
public sealed interface AttemptResult permits Grant, AttemptResult.Busy, AttemptResult.Queued {

	/**
	 * Another ticket holds the lock or waits for it; this ticket was not queued.
	 *
	 * @param remaining how long the lock is still held unless its lease is renewed
	 * @param holder what holds the lock, for messages only; {@code null} if the store
	 * does not say. Of several readers it is one
	 */
	record Busy(Duration remaining, @Nullable StoredHolder holder) implements AttemptResult {

		/**
		 * The lock is not available, and the store does not say what holds it.
		 * @param remaining how long the lock is still held unless its lease is renewed
		 */
		public Busy(Duration remaining) {
			this(remaining, null);
		}

	}

	/**
	 * The ticket waits in the store's order and will be signalled.
	 *
	 * @param retryAfter the delay after which the ticket attempts again without a signal,
	 * jitter included. It is not longer than the shortest lease of the holders, which may
	 * have died
	 * @param queuedNow whether the ticket was not queued before
	 * @param holder what holds the lock, for messages only; {@code null} if the store
	 * does not say. Of several readers it is one
	 * @param notAttempted why the store could not find out whether the lock is free;
	 * {@code null} if it is held. A wait that ends before any attempt has found that out
	 * fails with this
	 */
	record Queued(Duration retryAfter, boolean queuedNow, @Nullable StoredHolder holder,
			@Nullable LockBackendException notAttempted) implements AttemptResult {

		/**
		 * The ticket waits for a lock that is held.
		 * @param retryAfter the delay after which the ticket attempts again
		 * @param queuedNow whether the ticket was not queued before
		 * @param holder what holds the lock
		 */
		public Queued(Duration retryAfter, boolean queuedNow, @Nullable StoredHolder holder) {
			this(retryAfter, queuedNow, holder, null);
		}

		/**
		 * The ticket waits, and the store does not say what holds the lock.
		 * @param retryAfter the delay after which the ticket attempts again
		 * @param queuedNow whether the ticket was not queued before
		 */
		public Queued(Duration retryAfter, boolean queuedNow) {
			this(retryAfter, queuedNow, null);
		}

	}

}
