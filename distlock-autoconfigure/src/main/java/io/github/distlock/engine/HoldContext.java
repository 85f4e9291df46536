package io.github.distlock.engine;

import java.util.List;

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
	 * @throws io.github.distlock.LockLostException if the lock was lost
	 */
	void release(Hold hold);

}
