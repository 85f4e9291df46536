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

	/** How long the store may be silent. */
	Duration patience();

	Ticket newTicket(String key, LockMode mode);

	/** Forget an entry that is no longer needed. */
	void remove(String key);

	/** Ring an entry after a delay. */
	void ringLater(KeyEntry entry, long delayNanos);

}
