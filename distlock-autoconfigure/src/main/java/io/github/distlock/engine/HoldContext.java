package io.github.distlock.engine;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

import io.github.distlock.LockDefinitionException;
import io.github.distlock.LockLostException;
import io.github.distlock.backend.TimeSource;
import io.github.distlock.engine.Hold.HoldPhase;
import io.github.distlock.engine.Hold.ReleaseOutcome;
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
	 * A lock is at risk from now on. Must not block.
	 * @param hold the lock
	 * @param reported to complete when that is reported
	 * @param callbacks to call
	 */
	void atRisk(Hold hold, CompletableFuture<Void> reported, List<Consumer<Duration>> callbacks);

	/**
	 * A lock is no longer at risk. Called once after each {@link #atRisk}, perhaps before
	 * it has returned. Must not block.
	 * @param hold the lock
	 * @param reported completes when it is reported that the lock is at risk
	 */
	void riskEnded(Hold hold, CompletableFuture<Void> reported);

	/**
	 * A release that no thread waited for has an outcome. Must not block.
	 * @param hold the lock
	 * @param outcome the outcome
	 * @param closed to complete with it, {@code null} if the caller does not learn it
	 */
	void answered(Hold hold, ReleaseOutcome outcome, @Nullable CompletableFuture<Void> closed);

	/**
	 * Release one level.
	 * @param hold the lock
	 * @param ofView whether it came through a {@link java.util.concurrent.locks.Lock}
	 * view
	 * @param closed completes with the outcome, on a callback thread, if the calling
	 * thread is not to wait for the store; otherwise {@code null}
	 * @return whether the level is released; otherwise {@code closed} says it later
	 * @throws LockLostException if the lock was lost; then {@code closed} does not
	 * complete
	 */
	boolean release(Hold hold, boolean ofView, @Nullable CompletableFuture<Void> closed);

	/**
	 * Release one level of a lock under which no work was done.
	 * @param hold the lock
	 * @return whether the level is released, which is always so
	 * @throws LockLostException if the lock was lost
	 */
	boolean abandon(Hold hold);

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
