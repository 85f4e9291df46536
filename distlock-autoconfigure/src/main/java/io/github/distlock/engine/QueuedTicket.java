package io.github.distlock.engine;

import java.time.Duration;

import io.github.distlock.HandOff;
import io.github.distlock.LockBackendException;
import io.github.distlock.backend.AttemptResult;
import io.github.distlock.backend.StoredLock.StoredHolder;
import io.github.distlock.backend.Ticket;
import io.github.distlock.engine.Effects.Command;
import org.jspecify.annotations.Nullable;

/**
 * The ticket of a key that waits, and what is known about it. Guarded by the lock of its
 * {@link KeyState}.
 */
final class QueuedTicket extends LiveTicket {

	/** Whether another ticket had the lock first. */
	boolean waited;

	/** Whether the store has answered that the ticket waits. */
	private boolean queued;

	/**
	 * What held the lock at the last attempt, if the store said so. For messages only.
	 */
	private @Nullable StoredHolder blockedBy;

	/** Whether the store has found the lock held at an attempt of this ticket. */
	private boolean foundHeld;

	/**
	 * Why the store could not look at the last attempt. Invariant: {@code null} once it
	 * has {@link #foundHeld found the lock held}. From then on the end of a wait time is
	 * a time-out, whatever a later attempt says.
	 */
	@Nullable LockBackendException notAttempted;

	/** Whether to send an attempt as soon as that is allowed. */
	boolean due = true;

	/** Whether a command may have told the store of the ticket. */
	boolean asked;

	QueuedTicket(Ticket ticket, Duration lease) {
		super(ticket, false, lease);
	}

	@Override
	HandOff nextHandOff() {
		return this.waited ? HandOff.REMOTE : HandOff.NONE;
	}

	@Override
	@Nullable StoredHolder blockedBy() {
		return this.blockedBy;
	}

	/**
	 * The store has answered that another ticket has the lock first, or that it could not
	 * look.
	 */
	void waitsFor(AttemptResult answer) {
		if (answer instanceof AttemptResult.Queued waiting && waiting.notAttempted() != null) {
			this.notAttempted = this.foundHeld ? null : waiting.notAttempted();
			return;
		}
		this.foundHeld = true;
		this.notAttempted = null;
		this.waited = true;
		this.blockedBy = (answer instanceof AttemptResult.Busy busy) ? busy.holder()
				: (answer instanceof AttemptResult.Queued waiting) ? waiting.holder() : null;
	}

	/**
	 * The store answered that the ticket waits.
	 * @param now whether the store queued the ticket with this command
	 * @return whether the store had forgotten the ticket, so that it waits at the end now
	 */
	boolean markQueued(boolean now) {
		boolean forgotten = now && this.queued;
		// If the store knew the ticket already, an unanswered attempt had queued it.
		this.queued |= now || this.attemptUnanswered;
		return forgotten;
	}

	/**
	 * Ask for the lease of the caller that is first now, and not for that of a caller
	 * that has left.
	 */
	void askFor(Duration newLease) {
		if (!this.lease.equals(newLease)) {
			this.lease = newLease;
			this.due = true;
		}
	}

	/** Whether the store certainly does not know the ticket. */
	boolean isUnknownToStore() {
		return !this.queued && !this.attemptUnanswered;
	}

	/** An attempt was withdrawn before it was sent. */
	void notSent(Command.Attempt attempt) {
		if (attempt.first && this.ticket.equals(attempt.ticket)) {
			this.asked = false;
		}
	}

}
