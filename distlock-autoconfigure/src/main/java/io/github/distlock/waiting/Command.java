package io.github.distlock.waiting;

import java.time.Duration;

import io.github.distlock.backend.LockBackend.Successor;
import io.github.distlock.backend.Ticket;
import org.jspecify.annotations.Nullable;

/**
 * What an entry wants sent to the store.
 */
sealed interface Command {

	/**
	 * Ask for the lock.
	 *
	 * @param ticket who asks
	 * @param lease what for
	 * @param queue whether to be remembered
	 */
	record Attempt(Ticket ticket, Duration lease, boolean queue) implements Command {
	}

	/**
	 * Release or cancel.
	 *
	 * @param exit who leaves
	 * @param next who is queued in the same trip, or keeps the lock as a reader
	 * @param heir the latter, who is to be told the answer
	 */
	record Leave(Exit exit, @Nullable Successor next, @Nullable Heir heir) implements Command {
	}

}
