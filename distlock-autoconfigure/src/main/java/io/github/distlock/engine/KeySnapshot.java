package io.github.distlock.engine;

import io.github.distlock.backend.StoredLock.StoredHolder;
import io.github.distlock.backend.Ticket;
import org.jspecify.annotations.Nullable;

/**
 * The state of one key in this JVM at one moment. Fair callers and readers have a ticket
 * each, so there may be several snapshots of one key.
 *
 * @param key the key of the lock
 * @param holder the ticket that holds the lock, or {@code null} if no caller holds it
 * @param waiters how many callers wait for the lock
 * @param unfinished whether a command is on its way to the store, or has to be repeated
 * @param blockedBy what holds the lock, as far as this JVM knows without asking the
 * store; a caller of this JVM, or what the store said last
 * @param unansweredNanos for how long commands have failed without an answer; zero if the
 * store answers
 */
public record KeySnapshot(String key, @Nullable Ticket holder, int waiters, boolean unfinished,
		@Nullable StoredHolder blockedBy, long unansweredNanos) {

	/**
	 * The work that a shutdown may have to wait for. A later constant outweighs an
	 * earlier one.
	 */
	public enum UnfinishedWork {

		/** Nothing is unfinished. */
		NOTHING,

		/**
		 * Only commands that the store has failed to answer, and which are repeated.
		 * Waiting for them is pointless: the store is unreachable or refuses them, and
		 * leases end what may have been granted.
		 */
		RETRIES,

		/** Commands on their way to a store that has answered so far. */
		COMMANDS,

		/** A lock is held, or was granted to a caller. */
		HELD_LOCKS;

		UnfinishedWork and(UnfinishedWork other) {
			return (other.compareTo(this) > 0) ? other : this;
		}

	}

}
