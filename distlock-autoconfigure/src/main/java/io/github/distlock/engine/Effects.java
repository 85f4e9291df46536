package io.github.distlock.engine;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;

import io.github.distlock.backend.LockStore.Successor;
import io.github.distlock.backend.Ticket;
import io.github.distlock.engine.Hold.ReleaseOutcome;
import io.github.distlock.engine.PendingReleases.PendingRelease;
import org.jspecify.annotations.Nullable;

/**
 * The effects of an event on a key state, to be carried out after the lock of the key
 * state has been released. Most events only send a command: then the command is the
 * effect.
 */
sealed interface Effects {

	Effects NONE = new Combined(null, List.of(), null, null);

	/** The command to send. */
	@Nullable Command command();

	/** The waiters to wake. */
	default List<Waiter> woken() {
		return List.of();
	}

	/**
	 * A ticket to cancel once more, later, since a copy of its attempt may still be on
	 * its way.
	 */
	default @Nullable Ticket stray() {
		return null;
	}

	/**
	 * Completes with the outcome of a release that is sent after another command of the
	 * key, so that its caller cannot send it.
	 */
	default @Nullable CompletableFuture<ReleaseOutcome> later() {
		return null;
	}

	/**
	 * Effects of several kinds.
	 *
	 * @param command the command to send
	 * @param woken the waiters to wake
	 * @param stray a ticket to cancel once more
	 * @param later completes with the outcome of a release that is not sent yet
	 */
	record Combined(@Nullable Command command, List<Waiter> woken, @Nullable Ticket stray,
			@Nullable CompletableFuture<ReleaseOutcome> later) implements Effects {

	}

	/**
	 * A command that a key state sends to the store. Compared by identity: each is sent
	 * once.
	 */
	abstract sealed class Command implements Effects {

		private static final AtomicIntegerFieldUpdater<Command> TAKEN = AtomicIntegerFieldUpdater
			.newUpdater(Command.class, "taken");

		/** One after the command was taken. */
		private volatile int taken;

		/**
		 * Whether the stage has ended: its event follows, unless an error prevents it.
		 */
		volatile boolean ended;

		/** How many sweeps, one a second, may meet a command that has not ended. */
		static final int MOST_SWEEPS = 120;

		/**
		 * How many sweeps have met it in flight. Guarded by the lock of the key state.
		 */
		private int sweeps;

		/** How many of them came after its stage had ended. */
		private int sweepsAfterEnd;

		@Override
		public Command command() {
			return this;
		}

		/**
		 * Take a command, to send it or to settle it as failed. An executor may reject a
		 * task and run it nevertheless.
		 * @return whether this caller was the first
		 */
		boolean take() {
			return TAKEN.compareAndSet(this, 0, 1);
		}

		/**
		 * A sweep has met the command in flight. Two sweeps after its stage has ended,
		 * its event counts as lost. Before the end, a driver may still block the thread
		 * that sends it, or the executor may have many others before it: to settle it too
		 * early would send a second command beside it. Sweeps are counted, and not time:
		 * a process may be paused.
		 * @return whether the command is lost, so that no thread sends it any more
		 */
		boolean isLost() {
			boolean lost = this.ended ? ++this.sweepsAfterEnd > 1 : ++this.sweeps > MOST_SWEEPS;
			if (lost) {
				take();
			}
			return lost;
		}

		/**
		 * An attempt to acquire the lock.
		 */
		static final class Attempt extends Command {

			final Ticket ticket;

			/** The lease to ask for. */
			final Duration lease;

			/** Whether to queue the ticket if it is not granted the lock. */
			final boolean queue;

			Attempt(Ticket ticket, Duration lease, boolean queue) {
				this.ticket = ticket;
				this.lease = lease;
				this.queue = queue;
			}

		}

		/**
		 * A release or a cancel.
		 */
		static final class Release extends Command {

			/** The ticket that leaves the store. */
			final PendingRelease pending;

			/** The ticket that the same command queues. */
			final @Nullable Successor next;

			private final boolean repeated;

			Release(PendingRelease pending, @Nullable Successor next) {
				this.repeated = pending.sends > 1;
				this.pending = pending;
				this.next = next;
			}

			/**
			 * Whether no caller waits for the answer, and no earlier copy of this command
			 * has been sent.
			 */
			boolean isUnawaited() {
				return this.pending.background != null && !this.repeated;
			}

			/**
			 * Report the outcome if the caller has not sent this command. After a
			 * repetition it is no news: the first release may have been executed.
			 */
			void report(ReleaseOutcome outcome) {
				BackgroundRelease background = this.pending.background;
				if (this.pending.later != null) {
					this.pending.later.complete(this.repeated ? ReleaseOutcome.UNANSWERED : outcome);
				}
				if (background != null && !this.repeated) {
					background.hold.context().answered(background.hold, outcome, background.closed);
				}
			}

		}

	}

}
