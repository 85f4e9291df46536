package io.github.distlock.engine;

import java.time.Duration;

import io.github.distlock.HandOff;
import io.github.distlock.backend.Grant;
import io.github.distlock.backend.StoredLock.StoredHolder;
import io.github.distlock.backend.Ticket;
import org.jspecify.annotations.Nullable;

/**
 * The ticket with which this JVM takes part in the lock of a key: it waits, or it holds
 * the lock. The state of a key has one at most.
 */
abstract class LiveTicket {

	final Ticket ticket;

	/**
	 * Whether an attempt was never answered: a copy of it may still be on its way.
	 * Guarded by the lock of the key state.
	 */
	boolean attemptUnanswered;

	/** How many sweeps have met it without a caller. Guarded by the same lock. */
	byte unusedSweeps;

	/** Whether its lock was named as leaked. Used by the scans of the watchdog only. */
	boolean leaked;

	/**
	 * Whether its first token is a time, see {@link Grant#timed}. Set once it is held.
	 */
	boolean timed;

	/** The lease that the store is asked for. */
	Duration lease;

	LiveTicket(Ticket ticket, boolean attemptUnanswered, Duration lease) {
		this.ticket = ticket;
		this.lease = lease;
		this.attemptUnanswered = attemptUnanswered;
	}

	/** How a caller gets the lock that this ticket is granted, or holds. */
	abstract HandOff nextHandOff();

	/** What holds the lock, as far as this JVM knows. For messages only. */
	abstract @Nullable StoredHolder blockedBy();

}
