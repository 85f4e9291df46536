package io.github.distlock.backend;

import java.time.Duration;

import io.github.distlock.backend.StoredLock.StoredHolder;
import org.jspecify.annotations.Nullable;

/**
 * The answer of a store to an attempt.
 */
public sealed interface AttemptResult {

	/**
	 * The ticket holds the lock.
	 *
	 * @param grant the grant
	 * @param keepable whether the store has marked the grant as one that this JVM may
	 * keep after its release. Never if no attempt of the ticket asked for that, or if a
	 * ticket waited when the lock was granted. Each {@link LockStore.Renewal} of the
	 * grant says the same: to the store, a marked grant and an unmarked one are different
	 * grants
	 */
	record Granted(Grant grant, boolean keepable) implements AttemptResult {

		/**
		 * The ticket holds the lock, and this JVM must not keep it after its release.
		 * @param grant the grant
		 */
		public Granted(Grant grant) {
			this(grant, false);
		}

	}

	/**
	 * Another ticket holds the lock or waits for it; this ticket was not queued.
	 *
	 * @param remaining how long the lock is still held unless its lease is renewed
	 * @param holder what holds the lock, for messages only; {@code null} if the store
	 * does not say. Of several readers it is one
	 * @param kept whether another JVM may keep the lock, so that no caller may be inside,
	 * and no ticket waits. A ticket that is queued then asks that JVM for the lock
	 */
	record Busy(Duration remaining, @Nullable StoredHolder holder, boolean kept) implements AttemptResult {

		/**
		 * The lock is not available, and the store does not say what holds it.
		 * @param remaining how long the lock is still held unless its lease is renewed
		 */
		public Busy(Duration remaining) {
			this(remaining, null, false);
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
	 * @param first whether the ticket is the first in the queue, as far as the store
	 * says. If another JVM may keep the lock, the store has asked that JVM for it then.
	 * Never if the attempt wants an answer and the store has asked no JVM
	 */
	record Queued(Duration retryAfter, boolean queuedNow, @Nullable StoredHolder holder,
			boolean first) implements AttemptResult {

		/**
		 * The ticket waits, and the store does not say what holds the lock.
		 * @param retryAfter the delay after which the ticket attempts again
		 * @param queuedNow whether the ticket was not queued before
		 */
		public Queued(Duration retryAfter, boolean queuedNow) {
			this(retryAfter, queuedNow, null, false);
		}

	}

}
