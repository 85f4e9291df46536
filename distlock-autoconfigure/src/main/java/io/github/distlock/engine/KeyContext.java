package io.github.distlock.engine;

import java.time.Duration;
import java.util.random.RandomGenerator;

import io.github.distlock.LockBackendException;
import io.github.distlock.backend.Ticket;
import io.github.distlock.backend.TimeSource;
import io.github.distlock.environment.EngineEnvironment.Invariants;
import org.jspecify.annotations.Nullable;

/**
 * What a {@link KeyState} needs from its registry. Called under the lock of the key
 * state, so no method blocks or calls another key state.
 */
interface KeyContext {

	/** What all key states of a registry share. */
	KeySettings settings();

	Ticket newTicket(String key, Waiter first);

	/**
	 * Whether this key state retries at intervals without having been notified. Of
	 * several tickets of this JVM on one key, one does.
	 */
	default boolean retriesForKey() {
		return true;
	}

	/** The ticket was granted, or no caller wants it any more. */
	default void leftQueue() {
	}

	/**
	 * A command failed.
	 * @param cause the failure
	 * @param tooLong whether the store has not answered for longer than callers should
	 * wait
	 */
	default void storeFailed(LockBackendException cause, boolean tooLong) {
	}

	/** The store answered a command. */
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
	 * The store had forgotten the ticket, which waits at the end now: other tickets of
	 * this JVM may have lost their positions, too.
	 */
	default void requeuedAtEnd() {
	}

	/** Remove a key state that is no longer used. */
	void remove(String key);

	/**
	 * Report to a key state after a delay that its timer fired.
	 * @return whether the timer is set; otherwise a sweep takes its place
	 */
	boolean scheduleTimer(KeyState state, long delayNanos);

	/**
	 * What all key states of a registry share.
	 *
	 * @param clock the clocks
	 * @param random for the delays of retries
	 * @param handOffLimits how long the lock may stay in this JVM
	 * @param backendTimeout how long the store may fail to answer before waiting ends
	 * @param commandTimeout how long a command may take
	 * @param waiterCounts how many callers of this JVM wait for each key
	 * @param invariants checks the invariants, {@code null} if they are not checked
	 */
	record KeySettings(TimeSource clock, RandomGenerator random, HandOffLimits handOffLimits, Duration backendTimeout,
			Duration commandTimeout, WaiterCounts waiterCounts, @Nullable Invariants invariants) {

	}

}
