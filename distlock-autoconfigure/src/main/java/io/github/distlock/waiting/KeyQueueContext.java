package io.github.distlock.waiting;

import java.time.Duration;

import io.github.distlock.LockBackendException;
import io.github.distlock.LockMode;
import io.github.distlock.backend.Ticket;
import io.github.distlock.backend.TimeSource;
import org.jspecify.annotations.Nullable;

/**
 * What a queue needs of the room around it. Nothing here blocks.
 */
interface KeyQueueContext {

	TimeSource clock();

	/** How long the lock may stay in this JVM. */
	HandOffLimits handOffLimits();

	/** How long the store may be silent. */
	Duration backendTimeout();

	Ticket newTicket(String key, LockMode mode);

	/**
	 * Whether this queue asks the store by itself from time to time, and not only when
	 * told. Of several tickets of this JVM on one key one does.
	 */
	boolean retriesForKey();

	/** The queue's ticket was granted, or nobody wants it any more. */
	void leftQueue();

	/**
	 * A command of the queue failed.
	 * @param cause why
	 * @param tooLong whether the store has been silent for longer than anybody should
	 * wait
	 */
	void storeFailed(LockBackendException cause, boolean tooLong);

	/** The store answered a command of the queue. */
	void storeAnswered();

	/**
	 * Return the last failure that others of this JVM had who wait for the key, if the
	 * store has not answered them since.
	 */
	@Nullable LockBackendException storeFailure();

	/**
	 * The store had forgotten the queue's ticket, which waits at the end now: others of
	 * this JVM may have lost their places, too.
	 */
	void requeuedAtEnd();

	/** Forget a queue that is no longer needed. */
	void remove(String key);

	/**
	 * Ring a queue after a delay.
	 * @return why no timer could be set, or {@code null}
	 */
	@Nullable LockBackendException scheduleTimer(CommandTarget queue, long delayNanos);

}
