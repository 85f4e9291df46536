package io.github.distlock.engine;

import io.github.distlock.backend.StoredLock.StoredHolder;
import io.github.distlock.backend.Ticket;
import org.jspecify.annotations.Nullable;

/**
 * The ticket with which this JVM takes part in the lock of a key: it waits, or it holds
 * the lock. A {@link KeyState} has one at most.
 */
abstract sealed class LiveTicket permits QueuedTicket, Holder {

	final Ticket ticket;

	/**
	 * Whether an attempt was never answered: a copy of it may still be on its way.
	 * Guarded by the lock of the key state.
	 */
	boolean attemptUnanswered;

	LiveTicket(Ticket ticket, boolean attemptUnanswered) {
		this.ticket = ticket;
		this.attemptUnanswered = attemptUnanswered;
	}

	/** What holds the lock, as far as this JVM knows. For messages only. */
	abstract @Nullable StoredHolder blockedBy();

}
