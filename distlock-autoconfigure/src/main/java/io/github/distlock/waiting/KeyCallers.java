package io.github.distlock.waiting;

import java.util.List;

import io.github.distlock.LockBackendException;
import io.github.distlock.backend.StoreUnusableException;
import io.github.distlock.backend.Ticket;
import io.github.distlock.waiting.Waiter.Outcome;
import org.jspecify.annotations.Nullable;

/**
 * The callers of one key: those that wait, those that have given up and return when their
 * ticket has left the store, and the timer without which they might wait in vain. Part of
 * {@link KeyQueue}, and guarded as that is.
 */
abstract class KeyCallers extends KeyCommand {

	final CommandTarget queue;

	final KeyQueueContext context;

	final LocalQueue waiters = new LocalQueue();

	/** Once it has waited, or the store has failed. */
	private @Nullable RetryTimer retryTimer;

	KeyCallers(CommandTarget queue, KeyQueueContext context) {
		this.queue = queue;
		this.context = context;
	}

	/** The ticket with which they wait. */
	abstract @Nullable Ticket waitingTicket();

	/** Whether a ticket is on its way out of the store, and an answer is to come. */
	abstract boolean isLeaving(Ticket ticket);

	/** A caller joins. One that asks once does not wait behind others. */
	final void enqueue(Waiter waiter, boolean held) {
		if (waiter.isOnce() && (held || !this.waiters.isEmpty())) {
			this.waiters.decide(waiter, new Outcome.TimedOut());
		}
		else {
			this.waiters.add(waiter);
		}
	}

	/** Callers that an error has ended do not get the lock. */
	final void dropAbandoned() {
		while (!this.waiters.isEmpty() && this.waiters.first().isAbandoned()) {
			this.waiters.decide(this.waiters.first(), new Outcome.Left());
		}
	}

	/** A caller gives up; answers whether its outcome was still open. */
	final boolean giveUp(Waiter waiter, boolean timedOut) {
		if (waiter.outcome() != null) {
			return false;
		}
		LockBackendException failure = failure();
		// After a failure nobody can say whether the lock was free: not contention.
		Outcome late = (failure != null) ? new Outcome.Failed(failure) : new Outcome.TimedOut();
		dismiss(waiter, timedOut ? late : new Outcome.Left());
		return true;
	}

	/**
	 * A caller leaves without the lock; if nobody keeps its place, not before its ticket.
	 */
	final void dismiss(Waiter waiter, Outcome outcome) {
		Ticket ticket = waitingTicket();
		if (ticket == null || waiter.isDowngrade() || !this.waiters.isOnly(waiter) || failure() != null) {
			this.waiters.decide(waiter, outcome);
			return;
		}
		retryTimer().leavers().add(waiter, ticket);
		this.waiters.decideQuietly(waiter, outcome);
	}

	/** The last failure, if the store has not answered since. */
	final @Nullable LockBackendException failure() {
		return (this.retryTimer != null) ? this.retryTimer.failure() : null;
	}

	/**
	 * Everybody who waits fails: the room closes. Not an heir, who is inside: the command
	 * that answers him is on its way.
	 */
	final void failWaiters(LockBackendException cause) {
		this.waiters.decideAll(new Outcome.Failed(cause), (waiter) -> !waiter.isDowngrade());
		if (this.retryTimer != null) {
			this.retryTimer.leavers().release();
		}
	}

	final void failed(LockBackendException cause) {
		boolean tooLong = retryTimer().failed(cause);
		// A store that is not set up does not answer better later.
		boolean useless = cause instanceof StoreUnusableException;
		this.waiters.decideAll(new Outcome.Failed(cause), (waiter) -> tooLong || useless || waiter.isOnce());
	}

	final void storeAnswered() {
		if (this.retryTimer != null) {
			this.retryTimer.answered();
		}
	}

	final RetryTimer retryTimer() {
		if (this.retryTimer == null) {
			this.retryTimer = new RetryTimer(this.context, new Alarm(this.context, this.queue));
		}
		return this.retryTimer;
	}

	/** There is nothing to ask for any more. */
	final void rest() {
		if (this.retryTimer != null) {
			this.retryTimer.rest();
		}
	}

	/** Without a timer a wait might never end: it ends with the error. */
	final void failWithoutTimer() {
		LockBackendException reason = (this.retryTimer != null) ? this.retryTimer.ensureTimer() : null;
		if (reason != null) {
			failWaiters(reason);
		}
	}

	/** Whom to wake. */
	final List<Waiter> takeWoken() {
		List<Waiter> decided = this.waiters.decided();
		List<Waiter> all = (this.retryTimer != null) ? this.retryTimer.leavers().addTo(decided, this::isLeaving)
				: decided;
		// Now, and not before: there may be no memory for the others.
		this.waiters.clearDecided();
		return all;
	}

}
