package io.github.distlock.engine;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import io.github.distlock.LockDefinitionException;
import io.github.distlock.LockLostException;
import io.github.distlock.backend.ControlledLock.FencedGrant;
import io.github.distlock.backend.TimeSource;
import io.github.distlock.engine.Hold.HoldPhase;
import io.github.distlock.environment.EngineEnvironment.Invariants;
import org.jspecify.annotations.Nullable;

/**
 * What a hold needs from its registry.
 */
public interface HoldContext {

	/**
	 * {@return the time}
	 */
	TimeSource clock();

	/**
	 * {@return what checks the invariants of a hold, if they are checked}
	 */
	@Nullable Invariants invariants();

	/**
	 * Return whether an operator has ended the grant of a hold.
	 * @param hold the hold
	 * @return whether a loss is put down to that
	 */
	boolean isEnded(Hold hold);

	/**
	 * A lock is lost, or is no longer retained. Called on any thread, once, and again
	 * only if it throws; must not block.
	 * @param hold the lock
	 * @param before the phase before
	 * @param callbacks to call
	 */
	void lost(Hold hold, HoldPhase before, List<Runnable> callbacks);

	/**
	 * The loss has been reported: renew the lock no longer.
	 * @param hold the lock
	 */
	void forget(Hold hold);

	/**
	 * No caller uses the lock any more: release it in the background. Must not block.
	 * @param hold the lock
	 */
	void drop(Hold hold);

	/**
	 * A lock is at risk from now on. Must not block.
	 * @param hold the lock
	 * @param reported to complete when that is reported
	 */
	void atRisk(Hold hold, CompletableFuture<Void> reported);

	/**
	 * A lock is no longer at risk. Called once after each {@link #atRisk}, perhaps before
	 * it has returned. Must not block.
	 * @param hold the lock
	 * @param reported completes when it is reported that the lock is at risk
	 */
	void riskEnded(Hold hold, CompletableFuture<?> reported);

	/**
	 * The caller has left a level: release the lock if it was the last one. If an error
	 * prevents that, the sweep releases it.
	 * @param hold the lock
	 * @param last whether it was the last one
	 * @param closed completes with the outcome, on a callback thread, if the calling
	 * thread is not to wait for the store; otherwise {@code null}
	 * @return whether the level is released; otherwise {@code closed} says it later
	 * @throws LockLostException if the lock was lost; then {@code closed} does not
	 * complete
	 */
	boolean release(Hold hold, boolean last, @Nullable CompletableFuture<Void> closed);

	/**
	 * The caller has left a level under which no work was done.
	 * @param hold the lock
	 * @param last whether it was the last one
	 * @return whether the level is released, which is always so
	 * @throws LockLostException if the lock was lost
	 */
	boolean abandon(Hold hold, boolean last);

	/**
	 * Limit the time for which a lock is held from now on.
	 * @param hold the lock
	 * @param leaseTime the time
	 * @throws LockLostException if the lock was lost
	 * @throws LockDefinitionException if the minimum hold time is longer
	 */
	void expireAfter(Hold hold, Duration leaseTime);

	/**
	 * Return what a database compares.
	 * @param hold the lock
	 * @return the grant, {@code null} for readers
	 */
	@Nullable FencedGrant fencedGrant(Hold hold);

	/**
	 * Ask the store, if only the store knows whether a lock is held.
	 * @param hold the lock
	 * @return whether it is held
	 */
	boolean confirm(Hold hold);

}
