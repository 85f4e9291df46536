package io.github.distlock;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

/**
 * Receives events about locks. Every bean of this type is called, in the order of
 * {@code @Order}.
 * <p>
 * A listener is called on the thread that asks for, waits for or closes a lock, which it
 * delays. What no such thread causes (renewals, losses, events of asynchronous callers)
 * is reported on a callback thread, and delays that asynchronous caller and other
 * callbacks. It should be quick, and must not use a lock. An exception that it throws is
 * logged and otherwise ignored. Re-entries cause no events.
 */
public interface LockListener {

	/**
	 * Called when a call did not get its lock at once and starts to wait.
	 * @param event the waiting call
	 */
	default void onWaiting(Waiting event) {
	}

	/**
	 * Called when a waiting call stops waiting, for any reason. Follows each
	 * {@link #onWaiting(Waiting)}, before {@link #onAttempted(Attempted)}.
	 * @param event the call that was waiting
	 */
	default void onWaitingEnded(Waiting event) {
	}

	/**
	 * Called when an attempt to acquire a lock has ended, with or without success.
	 * @param event the result of the attempt
	 */
	default void onAttempted(Attempted event) {
	}

	/**
	 * The same, with the request, for each attempt that has reached a registry. Calls
	 * {@link #onAttempted(Attempted)} unless it is overridden.
	 * @param event the result of the attempt
	 * @param request what was requested; its key begins with the {@link LockKeyPrefix},
	 * if there is one
	 */
	default void onAttempted(Attempted event, LockRequest request) {
		onAttempted(event);
	}

	/**
	 * Called when a held lock was released by its holder. With a minimum hold time the
	 * lock may stay taken for longer; the end of that time causes no event.
	 * @param event the released lock
	 */
	default void onReleased(Released event) {
	}

	/**
	 * Called when a held lock was lost. No {@link #onReleased(Released)} follows.
	 * @param event the lost lock
	 */
	default void onLost(Lost event) {
	}

	/**
	 * Called when a held lock is likely to be lost soon: its renewal has failed, or was
	 * not answered, and less than half of its lease is left. Called once until
	 * {@link #onAtRiskEnded} is. Never called for a lock that ends with a session, or
	 * that is not renewed.
	 * @param event the lock
	 */
	default void onAtRisk(AtRisk event) {
	}

	/**
	 * Called when a lock is no longer at risk, because it was renewed, released or lost.
	 * Follows each {@link #onAtRisk(AtRisk)}.
	 * @param event the lock
	 */
	default void onAtRiskEnded(AtRisk event) {
	}

	/**
	 * Called when the renewal of a batch of leases has ended, with or without success.
	 * @param event the result of the batch
	 */
	default void onRenewed(Renewed event) {
	}

	/**
	 * Called when the channel on which this JVM receives its grants from the store did
	 * not receive anything, and is subscribed again on a new connection. Until then
	 * waiting calls ask the store at intervals. Held locks are not affected.
	 * @param event the channel
	 */
	default void onResubscribed(Resubscribed event) {
	}

	/**
	 * A call that waits for a lock.
	 *
	 * @param backend name of the store
	 * @param name label of the lock
	 * @param key key of the lock
	 * @param waited time since the call asked for the lock
	 */
	record Waiting(String backend, String name, String key, Duration waited) {
	}

	/**
	 * The end of an attempt to acquire a lock.
	 *
	 * @param backend name of the store
	 * @param name label of the lock
	 * @param key key of the lock; {@code null} if there was no key
	 * @param outcome how the attempt ended
	 * @param waited time from the call to its end
	 * @param handOff how the lock came to this holder
	 * @param fencingToken token of the new holder; 0 if the lock was not acquired
	 */
	record Attempted(String backend, String name, @Nullable String key, LockOutcome outcome, Duration waited,
			HandOff handOff, long fencingToken) {
	}

	/**
	 * The release of a held lock.
	 *
	 * @param backend name of the store
	 * @param name label of the lock
	 * @param key key of the lock
	 * @param fencingToken token of the holder
	 * @param held time from the acquisition to the release
	 */
	record Released(String backend, String name, String key, long fencingToken, Duration held) {
	}

	/**
	 * The loss of a held lock.
	 *
	 * @param backend name of the store
	 * @param name label of the lock
	 * @param key key of the lock
	 * @param fencingToken token of the holder
	 * @param held time from the acquisition to the loss
	 * @param reason why the lock was lost, in words
	 * @param lossCause why the lock was lost
	 * @param released whether the holder had released the lock in the background before
	 * the store answered that it was lost; {@link #onReleased} was called then
	 */
	record Lost(String backend, String name, String key, long fencingToken, Duration held, String reason,
			LossCause lossCause, boolean released) {
	}

	/**
	 * A held lock that is likely to be lost soon, or was until now.
	 *
	 * @param backend name of the store
	 * @param name label of the lock
	 * @param key key of the lock
	 * @param fencingToken token of the holder
	 * @param remaining what is left of the lease; zero if the lock was released or lost
	 * @param reason why the last renewal that failed has failed, in words
	 */
	record AtRisk(String backend, String name, String key, long fencingToken, Duration remaining, String reason) {
	}

	/**
	 * A channel for grants that is subscribed again.
	 *
	 * @param backend name of the store
	 * @param inbox name of the channel
	 * @param server kind and address of the server, without credentials
	 */
	record Resubscribed(String backend, String inbox, String server) {
	}

	/**
	 * The result of a batch of renewals.
	 *
	 * @param backend name of the store
	 * @param renewed number of leases that were renewed
	 * @param gone number of leases that the store no longer knew
	 * @param failed number of leases for which the store could not be asked; they are
	 * tried again
	 * @param lateness time from the planned moment of the batch, a third of the lease
	 * after the last renewal, to its answer or failure; for a retry it still counts from
	 * the first planned moment
	 */
	record Renewed(String backend, int renewed, int gone, int failed, Duration lateness) {
	}

}
