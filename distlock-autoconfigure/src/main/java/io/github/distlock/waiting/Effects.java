package io.github.distlock.waiting;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;

import io.github.distlock.LockBackendException;
import io.github.distlock.backend.AttemptOptions;
import io.github.distlock.backend.AttemptResult;
import io.github.distlock.backend.LockStore.Successor;
import io.github.distlock.backend.ReleaseResult;
import io.github.distlock.backend.Ticket;
import org.jspecify.annotations.Nullable;

/**
 * The effects of an event on a key queue, to be carried out after the lock of the queue
 * has been released. Most events only send a command: then the command is the effect.
 */
sealed interface Effects {

	Effects NONE = new Combined(null, List.of(), null);

	/** The command to send. */
	@Nullable Command command();

	/** The waiters to wake. */
	List<Waiter> woken();

	/**
	 * A ticket to cancel once more, later, since a copy of its attempt may still be on
	 * its way.
	 */
	@Nullable Ticket stray();

	/**
	 * Effects of several kinds.
	 *
	 * @param command the command to send
	 * @param woken the waiters to wake
	 * @param stray a ticket to cancel once more
	 */
	record Combined(@Nullable Command command, List<Waiter> woken, @Nullable Ticket stray) implements Effects {
	}

	/**
	 * The events that the command sender and the timer report to a key queue. Each method
	 * returns the effects of the event.
	 */
	interface QueueEvents {

		String key();

		/** The store answered an attempt. */
		Effects attemptAnswered(Command.Attempt attempt, AttemptResult result);

		/** The store did not answer an attempt. */
		Effects attemptFailed(Command.Attempt attempt, LockBackendException cause);

		/** The store answered a release, or a cancel, which has no result. */
		Effects releaseAnswered(PendingRelease pending, @Nullable ReleaseResult result);

		/**
		 * A release without a waiting caller was sent over a connection that keeps the
		 * order of commands.
		 */
		Effects releaseSent(Command.Release release);

		/** The store did not answer a release or a cancel. */
		Effects releaseFailed(PendingRelease pending, LockBackendException cause);

		/** An error may have interrupted an event of this command. */
		Effects recover(Command command);

		/** The timer fired. */
		Effects timerFired();

		/** An error may have interrupted the event of the timer. */
		Effects retryAll();

	}

	/**
	 * A command that a key queue sends to the store. Compared by identity: each is sent
	 * once.
	 */
	abstract sealed class Command implements Effects {

		/**
		 * Set if the sender has ended and the queue may not have got the outcome. A plain
		 * field: near the end of the stack it can be set without a call.
		 */
		volatile boolean outcomeLost;

		/**
		 * Set if the executor may not have accepted the command. A plain field for the
		 * same reason.
		 */
		volatile boolean maybeUnsent;

		private static final int TAKEN = 1;

		private static final int ENDED = 2;

		private static final AtomicIntegerFieldUpdater<Command> STATE = AtomicIntegerFieldUpdater
			.newUpdater(Command.class, "state");

		/** Zero until the command is taken. */
		private volatile int state;

		@Override
		public Command command() {
			return this;
		}

		@Override
		public List<Waiter> woken() {
			return List.of();
		}

		@Override
		public @Nullable Ticket stray() {
			return null;
		}

		/**
		 * Take a command, to send it or to settle it as failed. An executor may reject a
		 * task and run it nevertheless.
		 * @return whether this caller was the first
		 */
		boolean take() {
			return STATE.compareAndSet(this, 0, TAKEN);
		}

		/**
		 * The command has an answer, or has failed. It may fail while it is sent,
		 * although an answer comes.
		 * @return whether this was the first outcome
		 */
		boolean end() {
			return STATE.getAndSet(this, ENDED) != ENDED;
		}

		/**
		 * Check whether the command has ended without the queue knowing it. A command
		 * that may not have been sent is taken by this check, so that no thread sends it
		 * later.
		 */
		boolean takeIfLost() {
			return this.outcomeLost || (this.maybeUnsent && take());
		}

		/**
		 * An attempt to acquire the lock.
		 */
		static sealed class Attempt extends Command permits KeepableAttempt {

			private static final AttemptOptions QUEUED = AttemptOptions.queue(true);

			private static final AttemptOptions NOT_QUEUED = AttemptOptions.queue(false);

			private final Ticket ticket;

			private final Duration lease;

			private final boolean queue;

			private final @Nullable PendingRelease follows;

			/**
			 * Create an attempt.
			 * @param ticket the ticket that asks for the lock
			 * @param lease the lease to ask for
			 * @param queue whether the store queues the ticket if the lock is not free
			 * @param follows the release without an answer after which it is sent on the
			 * same connection, if there is one
			 */
			Attempt(Ticket ticket, Duration lease, boolean queue, @Nullable PendingRelease follows) {
				this.ticket = ticket;
				this.lease = lease;
				this.queue = queue;
				this.follows = follows;
			}

			Ticket ticket() {
				return this.ticket;
			}

			Duration lease() {
				return this.lease;
			}

			/** What is asked of the store besides the lock. */
			AttemptOptions options() {
				return this.queue ? QUEUED : NOT_QUEUED;
			}

			@Nullable PendingRelease follows() {
				return this.follows;
			}

		}

		/**
		 * An attempt that has to do with kept locks. A class of its own, so that other
		 * attempts take no memory for this.
		 */
		static final class KeepableAttempt extends Attempt {

			private final AttemptOptions options;

			KeepableAttempt(Ticket ticket, Duration lease, AttemptOptions options, @Nullable PendingRelease follows) {
				super(ticket, lease, options.queue(), follows);
				this.options = options;
			}

			@Override
			AttemptOptions options() {
				return this.options;
			}

		}

		/**
		 * A release or a cancel.
		 */
		static final class Release extends Command {

			private final PendingRelease pending;

			private final @Nullable Successor next;

			private final boolean repeated;

			/**
			 * Whether it was sent over a connection that keeps the order. Written under
			 * the lock of the queue, read without.
			 */
			volatile boolean sentInOrder;

			/**
			 * Create a release or a cancel.
			 * @param pending the ticket that leaves the store
			 * @param next the ticket that the same command queues
			 */
			Release(PendingRelease pending, @Nullable Successor next) {
				this.repeated = pending.sends > 1;
				this.pending = pending;
				this.next = next;
			}

			PendingRelease pending() {
				return this.pending;
			}

			@Nullable Successor next() {
				return this.next;
			}

			/**
			 * Whether no caller waits for the answer, and no earlier copy of this command
			 * has been sent.
			 */
			boolean isUnawaited() {
				return this.pending.background != null && !this.repeated;
			}

		}

	}

}
