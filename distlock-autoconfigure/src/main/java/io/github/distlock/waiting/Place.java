package io.github.distlock.waiting;

import java.time.Duration;

import io.github.distlock.backend.Ticket;
import org.jspecify.annotations.Nullable;

/**
 * The ticket of a key that waits, and what is known of it. Guarded by the entry's lock.
 */
final class Place {

	final Ticket ticket;

	final Duration lease;

	/** Whether an attempt was never answered: a copy of it may still run. */
	boolean doubtful;

	/** Whether somebody else had the lock first. */
	boolean waited;

	/** Whether the store has said that the ticket waits. */
	boolean queued;

	/** Whether to attempt as soon as it may. */
	boolean due;

	Place(Ticket ticket, Duration lease) {
		this.ticket = ticket;
		this.lease = lease;
	}

	/**
	 * Attempt, if that is due; it is done then.
	 * @param queue whether to be remembered
	 */
	@Nullable Command attemptIfDue(boolean queue) {
		if (!this.due) {
			return null;
		}
		this.due = false;
		return new Command.Attempt(this.ticket, this.lease, queue);
	}

}
