package io.github.distlock.waiting;

import java.time.Duration;

import io.github.distlock.LockMode;
import io.github.distlock.backend.Ticket;
import io.github.distlock.backend.TimeSource;

/**
 * What an entry needs of the room around it. Nothing here blocks.
 */
interface Surroundings {

	TimeSource clock();

	/** How long the lock may stay in this JVM. */
	HandOffLimits handOff();

	/** How long the store may be silent. */
	Duration patience();

	Ticket newTicket(String key, LockMode mode);

	/**
	 * Whether this entry asks the store by itself from time to time, and not only when
	 * told. Of several tickets of this JVM on one key one does.
	 */
	boolean isLookout();

	/** The entry's ticket was granted: it no longer waits. */
	void admitted();

	/**
	 * The store had forgotten the entry's ticket, which waits at the end now: others of
	 * this JVM may have lost their places, too.
	 */
	void lostPlace();

	/** Forget an entry that is no longer needed. */
	void remove(String key);

	/** Ring an entry after a delay. */
	void ringLater(KeyEntry entry, long delayNanos);

}
