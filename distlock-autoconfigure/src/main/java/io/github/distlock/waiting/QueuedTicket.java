package io.github.distlock.waiting;

import java.time.Duration;

import io.github.distlock.HandOff;
import io.github.distlock.backend.Grant;
import io.github.distlock.backend.Ticket;
import org.jspecify.annotations.Nullable;

/**
 * The ticket of a key that waits, and what is known of it. Guarded by the queue's lock.
 */
final class QueuedTicket {

	final Ticket ticket;

	/**
	 * What the store is asked for: the lease of the caller that is first, and not that of
	 * one which has left.
	 */
	private Duration lease;

	/** Whether an attempt was never answered: a copy of it may still run. */
	boolean doubtful;

	/** Whether somebody else had the lock first. */
	boolean waited;

	/** Whether the store has said that the ticket waits. */
	private boolean queued;

	/** Whether to attempt as soon as it may. */
	boolean due;

	QueuedTicket(Ticket ticket, Duration lease) {
		this.ticket = ticket;
		this.lease = lease;
	}

	/** A new place for those who wait, of whom this one is the first. */
	static QueuedTicket of(String key, WaitRequest first, KeyQueueContext context) {
		return new QueuedTicket(context.newTicket(key, first.mode()), first.lease());
	}

	/**
	 * The store says that the ticket waits.
	 * @param now whether since this very moment
	 * @return whether the store had forgotten it, so that it waits at the end now
	 */
	boolean queue(boolean now) {
		boolean forgotten = now && this.queued;
		// Known already: then it was the attempt without an answer that queued it.
		this.queued |= now || this.doubtful;
		return forgotten;
	}

	Duration lease() {
		return this.lease;
	}

	/** Ask for the lease of the caller that is first now. */
	void askFor(Duration wanted) {
		if (!this.lease.equals(wanted)) {
			this.lease = wanted;
			this.due = true;
		}
	}

	/** Whether the store knows nothing of it. */
	boolean isUnknown() {
		return !this.queued && !this.doubtful;
	}

	/** The lock is its now. */
	Holder admit(Grant grant, long nowNanos) {
		return Holder.first(this.ticket, this.lease, grant, this.waited ? HandOff.REMOTE : HandOff.NONE, nowNanos);
	}

	/**
	 * Attempt, if that is due; it is done then.
	 * @param queue whether to be remembered
	 */
	@Nullable Command attemptIfDue(boolean queue) {
		if (!this.due) {
			return null;
		}
		Command attempt = new Command.Attempt(this.ticket, this.lease, queue);
		this.due = false;
		return attempt;
	}

}
