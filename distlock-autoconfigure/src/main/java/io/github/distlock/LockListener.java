package io.github.distlock;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

/**
 * Is told what happens to locks. Each bean of this type is called, in the order of
 * {@code @Order}. Called on the threads that lock, wait and renew: it must be quick, must
 * not block and must not use a lock. What it throws is logged and otherwise ignored.
 * Re-entries are not told.
 */
public interface LockListener {

	/**
	 * A call could not have its lock at once and begins to wait.
	 * @param event who waits
	 */
	default void onWaiting(Waiting event) {
	}

	/**
	 * A waiting call no longer waits, however it ended. Follows each
	 * {@link #onWaiting(Waiting)}, before {@link #onAttempted(Attempted)}.
	 * @param event who waited
	 */
	default void onWaitingEnded(Waiting event) {
	}

	/**
	 * An attempt to get a lock ended, well or not.
	 * @param event how it ended
	 */
	default void onAttempted(Attempted event) {
	}

	/**
	 * A lock that was held was released by its holder. With a minimum hold time it may
	 * stay taken for longer, of which nobody is told.
	 * @param event what was released
	 */
	default void onReleased(Released event) {
	}

	/**
	 * A lock that was held was lost. No {@link #onReleased(Released)} follows.
	 * @param event what was lost
	 */
	default void onLost(Lost event) {
	}

	/**
	 * A batch of leases was renewed, or was to be renewed.
	 * @param event how it went
	 */
	default void onRenewed(Renewed event) {
	}

	/**
	 * The channel on which this JVM receives its grants from the store received nothing,
	 * and is subscribed again on a new connection. Until then waiting calls ask the store
	 * at intervals. Locks are not affected.
	 * @param event which channel
	 */
	default void onResubscribed(Resubscribed event) {
	}

	/**
	 * A call that waits.
	 *
	 * @param backend name of the store
	 * @param name label of the lock
	 * @param key what is locked
	 */
	record Waiting(String backend, String name, String key) {
	}

	/**
	 * The end of an attempt.
	 *
	 * @param backend name of the store
	 * @param name label of the lock
	 * @param key what is locked; {@code null} if there was no key
	 * @param outcome how it ended
	 * @param waited time from the call to its end
	 * @param handOff how the lock came to an acquirer
	 * @param fencingToken the token of an acquirer, otherwise 0
	 */
	record Attempted(String backend, String name, @Nullable String key, LockOutcome outcome, Duration waited,
			HandOff handOff, long fencingToken) {
	}

	/**
	 * The good end of a held lock.
	 *
	 * @param backend name of the store
	 * @param name label of the lock
	 * @param key what was locked
	 * @param fencingToken token of the holder
	 * @param held time from the acquisition to the release
	 */
	record Released(String backend, String name, String key, long fencingToken, Duration held) {
	}

	/**
	 * The bad end of a held lock.
	 *
	 * @param backend name of the store
	 * @param name label of the lock
	 * @param key what was locked
	 * @param fencingToken token of the holder
	 * @param held time from the acquisition to the loss
	 * @param reason why, in words
	 * @param lossCause why
	 */
	record Lost(String backend, String name, String key, long fencingToken, Duration held, String reason,
			LossCause lossCause) {
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
	 * A batch of renewals.
	 *
	 * @param backend name of the store
	 * @param renewed how many leases were renewed
	 * @param gone how many the store no longer knew
	 * @param failed how many could not be asked for; they are tried again
	 * @param lateness time from the moment that was planned for the batch, a third of the
	 * lease after the last renewal, to its answer or failure; what failed before and is
	 * tried again still counts from its first plan
	 */
	record Renewed(String backend, int renewed, int gone, int failed, Duration lateness) {
	}

}
