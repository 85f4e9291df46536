package io.github.distlock.waiting;

import io.github.distlock.LockOutcome;
import io.github.distlock.backend.StoredLock.StoredHolder;
import org.jspecify.annotations.Nullable;

/**
 * Receives what happens to the wait of one caller. Called without a lock, on the caller's
 * thread or on a callback thread.
 */
@FunctionalInterface
public interface WaitListener {

	/**
	 * Called once, when the first attempt did not get the lock or other callers of this
	 * JVM are ahead, and waiting begins.
	 * @param sinceNanos when the caller asked for the lock, by the monotonic clock
	 */
	void waiting(long sinceNanos);

	/**
	 * Called when the wait ends because its time has passed, or when the caller may not
	 * wait because too many others do.
	 * @param reason {@link LockOutcome#TIMEOUT} or {@link LockOutcome#TOO_MANY_WAITING}
	 * @param holder what held the lock last, as far as this JVM knows without asking the
	 * store
	 */
	default void notAcquired(LockOutcome reason, @Nullable StoredHolder holder) {
	}

}
