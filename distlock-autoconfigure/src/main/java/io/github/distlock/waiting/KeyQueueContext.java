package io.github.distlock.waiting;

import java.time.Duration;
import java.util.random.RandomGenerator;

import io.github.distlock.LockBackendException;
import io.github.distlock.LockMode;
import io.github.distlock.backend.Ticket;
import io.github.distlock.backend.TimeSource;
import org.jspecify.annotations.Nullable;

/**
 * The surroundings of a key queue. Called under the lock of the queue, so no method
 * blocks or calls another queue.
 */
interface KeyQueueContext {

	/** What all queues of a registry share. */
	KeySettings settings();

	Ticket newTicket(String key, LockMode mode);

	/**
	 * Whether this queue retries at intervals without having been notified. Of several
	 * tickets of this JVM on one key, one does.
	 */
	default boolean retriesForKey() {
		return true;
	}

	/** The ticket of the queue was granted, or no caller wants it any more. */
	default void leftQueue() {
	}

	/**
	 * A command of the queue failed.
	 * @param cause the failure
	 * @param tooLong whether the store has not answered for longer than callers should
	 * wait
	 */
	default void storeFailed(LockBackendException cause, boolean tooLong) {
	}

	/** The store answered a command of the queue. */
	default void storeAnswered() {
	}

	/**
	 * Return the last failure of other tickets of this JVM that wait for the key, if the
	 * store has not answered them since.
	 */
	default @Nullable LockBackendException storeFailure() {
		return null;
	}

	/**
	 * The store had forgotten the ticket of the queue, which waits at the end now: other
	 * tickets of this JVM may have lost their positions, too.
	 */
	default void requeuedAtEnd() {
	}

	/** Remove a queue that is no longer used. */
	void remove(String key);

	/**
	 * Report to a queue after a delay that its timer fired.
	 * @return whether the timer is set; otherwise a sweep takes its place
	 */
	boolean scheduleTimer(KeyQueue queue, long delayNanos);

	/**
	 * What all key queues of a registry share.
	 *
	 * @param clock the clocks
	 * @param random for the delays of retries
	 * @param handOffLimits how long the lock may stay in this JVM
	 * @param backendTimeout how long the store may fail to answer before waiting ends
	 * @param commandTimeout how long a command may take, and so the lock of a queue
	 * @param waiterCounts how many callers of this JVM wait for each key
	 */
	record KeySettings(TimeSource clock, RandomGenerator random, HandOffLimits handOffLimits, Duration backendTimeout,
			Duration commandTimeout, WaiterCounts waiterCounts) {

	}

}
