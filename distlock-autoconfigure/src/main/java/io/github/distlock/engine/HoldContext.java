package io.github.distlock.engine;

import java.time.Duration;
import java.util.List;

import io.github.distlock.LockDefinitionException;
import io.github.distlock.LockLostException;
import io.github.distlock.backend.TimeSource;
import io.github.distlock.engine.Hold.HoldPhase;
import io.github.distlock.engine.Hold.ReleaseOutcome;

/**
 * What a hold needs from its registry.
 */
public interface HoldContext {

	/**
	 * {@return the time}
	 */
	TimeSource clock();

	/**
	 * Return whether an operator has ended the grant of a hold.
	 * @param hold the hold
	 * @return whether a loss is put down to that
	 */
	boolean isEnded(Hold hold);

	/**
	 * A lock is lost, or is no longer retained. Called once, on any thread; must not
	 * block.
	 * @param hold the lock
	 * @param before the phase before
	 * @param callbacks to call
	 */
	void lost(Hold hold, HoldPhase before, List<Runnable> callbacks);

	/**
	 * A release that no caller waited for has an outcome. Must not block.
	 * @param hold the lock
	 * @param outcome the outcome
	 */
	void answered(Hold hold, ReleaseOutcome outcome);

	/**
	 * Release one level.
	 * @param hold the lock
	 * @param ofView whether it came through a {@link java.util.concurrent.locks.Lock}
	 * view
	 * @throws LockLostException if the lock was lost
	 */
	void release(Hold hold, boolean ofView);

	/**
	 * Release one level of a lock under which no work was done.
	 * @param hold the lock
	 * @throws LockLostException if the lock was lost
	 */
	void abandon(Hold hold);

	/**
	 * Limit the time for which a lock is held from now on.
	 * @param hold the lock
	 * @param leaseTime the time
	 * @throws LockLostException if the lock was lost
	 * @throws LockDefinitionException if the minimum hold time is longer
	 */
	void expireAfter(Hold hold, Duration leaseTime);

	/**
	 * Ask the store, if only the store knows whether a lock is held.
	 * @param hold the lock
	 * @return whether it is held
	 */
	boolean confirm(Hold hold);

}
