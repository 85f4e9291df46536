package io.github.distlock.engine;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
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
	 * A release whose answer is lost.
	 */
	default @Nullable PendingRelease unanswered() {
		return null;
	}

	/**
	 * Effects of several kinds.
	 *
	 * @param command the command to send
	 * @param woken the waiters to wake
	 * @param stray a ticket to cancel once more
	 * @param unanswered a release whose answer is lost
	 */
	record Combined(@Nullable Command command, List<Waiter> woken, @Nullable Ticket stray,
			@Nullable PendingRelease unanswered) implements Effects {

	}

	/**
	 * A command that a key state sends to the store. Compared by identity: each is sent
	 * once.
	 */
	abstract sealed class Command implements Effects {

		private static final AtomicIntegerFieldUpdater<Command> PHASE = AtomicIntegerFieldUpdater
			.newUpdater(Command.class, "phase");

		private static final int SENT = 1;

		/** Its stage has ended: its event follows, unless an error prevents it. */
		private static final int ENDED = 2;

		/** No thread sends it any more. */
		private static final int UNSENT = 3;

		private volatile int phase;

		/**
		 * Counts this command while it is sent and has not ended; otherwise {@code null}.
		 * <p>
		 * <b>Invariant.</b> It is set before the count grows, and removed after the count
		 * has fallen. So an error in between, or a second thread, may count one command
		 * too few, and never one too many for which no place would be given back.
		 */
		private volatile @Nullable AtomicInteger count;

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
		 * Take a command, to send it. An executor may reject a task and run it
		 * nevertheless.
		 * @return whether this caller was the first
		 */
		boolean beginSend() {
			return begin(SENT);
		}

		private boolean begin(int next) {
			return PHASE.compareAndSet(this, 0, next);
		}

		/**
		 * Give a command up that is not sent, so that no thread sends it.
		 * @return whether it was never sent
		 */
		boolean withdraw() {
			return begin(UNSENT) || isWithdrawn();
		}

		boolean isWithdrawn() {
			return this.phase == UNSENT;
		}

		/** Count this command until it ends. */
		void countIn(AtomicInteger count) {
			this.count = count;
			count.incrementAndGet();
		}

		/** The stage has ended, or the command could not be sent, or it is lost. */
		void end() {
			if (!withdraw()) {
				countOut();
				this.phase = ENDED;
			}
		}

		private void countOut() {
			AtomicInteger counted = this.count;
			if (counted != null) {
				counted.decrementAndGet();
				this.count = null;
			}
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
			boolean lost = (this.phase > SENT) ? ++this.sweepsAfterEnd > 1 : ++this.sweeps > MOST_SWEEPS;
			if (lost) {
				end();
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

			/** Whether no command before it has told the store of the ticket. */
			boolean first;

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

			/** Complete the release, unless an earlier answer has. */
			void complete(ReleaseOutcome outcome) {
				this.pending.complete(this.repeated ? ReleaseOutcome.UNANSWERED : outcome);
			}

		}

	}

}
