package io.github.distlock.waiting;

import java.time.Duration;

import io.github.distlock.LockBackendException;
import io.github.distlock.LockMode;
import io.github.distlock.backend.Ticket;
import io.github.distlock.backend.TimeSource;
import org.jspecify.annotations.Nullable;

/**
 * What an entry needs of the room around it. Nothing here blocks.
 */
interface KeyQueueContext {

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

	/** The entry's ticket was granted, or nobody wants it any more. */
	void waitsNoMore();

	/**
	 * A command of the entry failed.
	 * @param cause why
	 * @param tooLong whether the store has been silent for longer than anybody should
	 * wait
	 */
	void storeFailed(LockBackendException cause, boolean tooLong);

	/** The store answered a command of the entry. */
	void storeAnswered();

	/**
	 * Return the last failure that others of this JVM had who wait for the key, if the
	 * store has not answered them since.
	 */
	@Nullable LockBackendException storeFailure();

	/**
	 * The store had forgotten the entry's ticket, which waits at the end now: others of
	 * this JVM may have lost their places, too.
	 */
	void lostPlace();

	/** Forget an entry that is no longer needed. */
	void remove(String key);

	/**
	 * Ring an entry after a delay.
	 * @return why no timer could be set, or {@code null}
	 */
	@Nullable LockBackendException ringLater(CommandTarget entry, long delayNanos);

}
