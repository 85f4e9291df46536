package io.github.distlock.waiting;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;

import io.github.distlock.backend.LockBackend.Successor;
import io.github.distlock.backend.Ticket;
import org.jspecify.annotations.Nullable;

/**
 * What an entry wants sent to the store. Compared by identity: each is sent once.
 */
abstract sealed class Command {

	/**
	 * Whether its sender has ended without it being certain that the entry got the
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

	/** Whether it has ended and the entry may not know it. */
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
	static final class Leave extends Command {

		private final PendingRelease exit;

		private final @Nullable Successor next;

		private final @Nullable PendingDowngrade heir;

		/**
		 * Create it.
		 * @param exit who leaves
		 * @param next who is queued in the same trip, or keeps the lock as a reader
		 * @param heir the latter, who gets the answer
		 */
		Leave(PendingRelease exit, @Nullable Successor next, @Nullable PendingDowngrade heir) {
			this.exit = exit;
			this.next = next;
			this.heir = heir;
		}

		PendingRelease exit() {
			return this.exit;
		}

		@Nullable Successor next() {
			return this.next;
		}

		@Nullable PendingDowngrade heir() {
			return this.heir;
		}

	}

}
