package io.github.distlock.waiting;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;

import io.github.distlock.backend.LockStore.Successor;
import io.github.distlock.backend.Ticket;
import org.jspecify.annotations.Nullable;

/**
 * What a queue wants sent to the store. Compared by identity: each is sent once.
 */
abstract sealed class Command {

	/**
	 * Whether its sender has ended without it being certain that the queue got the
	 * outcome. A plain field: near the end of the stack it can be set without a call.
	 */
	volatile boolean dropped;

	/** Whether it may be that no thread was found for it. Set without a call, too. */
	volatile boolean strayed;

	private final AtomicBoolean taken = new AtomicBoolean();

	/**
	 * Take a command that was handed to an executor, to send it or to settle it as
	 * failed. An executor may refuse a task and run it all the same.
	 * @return whether this caller was the first
	 */
	boolean take() {
		return this.taken.compareAndSet(false, true);
	}

	/** Whether it has ended and the queue may not know it. */
	boolean isLost() {
		return this.dropped || (this.strayed && take());
	}

	/**
	 * Ask for the lock.
	 */
	static final class Attempt extends Command {

		private final Ticket ticket;

		private final Duration lease;

		private final boolean queue;

		/**
		 * Create an attempt.
		 * @param ticket who asks
		 * @param lease what for
		 * @param queue whether to be remembered
		 */
		Attempt(Ticket ticket, Duration lease, boolean queue) {
			this.ticket = ticket;
			this.lease = lease;
			this.queue = queue;
		}

		Ticket ticket() {
			return this.ticket;
		}

		Duration lease() {
			return this.lease;
		}

		boolean queue() {
			return this.queue;
		}

	}

	/**
	 * Release or cancel.
	 */
	static final class Release extends Command {

		private final PendingRelease pending;

		private final @Nullable Successor next;

		private final @Nullable PendingDowngrade downgrade;

		/**
		 * Create it.
		 * @param pending who leaves
		 * @param next who is queued in the same trip, or keeps the lock as a reader
		 * @param downgrade the latter, who gets the answer
		 */
		Release(PendingRelease pending, @Nullable Successor next, @Nullable PendingDowngrade downgrade) {
			this.pending = pending;
			this.next = next;
			this.downgrade = downgrade;
		}

		PendingRelease pending() {
			return this.pending;
		}

		@Nullable Successor next() {
			return this.next;
		}

		@Nullable PendingDowngrade downgrade() {
			return this.downgrade;
		}

	}

}
