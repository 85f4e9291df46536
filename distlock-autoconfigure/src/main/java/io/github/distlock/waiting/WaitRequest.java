package io.github.distlock.waiting;

import java.time.Duration;

import io.github.distlock.LockMode;
import io.github.distlock.LockOutcome;
import io.github.distlock.backend.StoredLock.StoredHolder;
import org.jspecify.annotations.Nullable;

/**
 * A request for a lock.
 *
 * @param key the key of the lock
 * @param mode how the lock is shared
 * @param fair whether the order of arrival holds over all JVMs
 * @param lease the lease to ask the store for
 * @param waitTime how long to wait: zero tries once, negative waits without a limit
 * @param maxWaiting how many callers of this JVM may wait for the key, this one included
 * @param listener receives what happens to the wait
 */
public record WaitRequest(String key, LockMode mode, boolean fair, Duration lease, Duration waitTime, int maxWaiting,
		WaitListener listener) {

	/**
	 * Return whether the caller has its own ticket, which is not handed off inside the
	 * JVM. Fair callers have one, to keep the order over all JVMs. Readers have one,
	 * since they hold the lock at the same time and each has a lease.
	 * @return whether no other caller shares the ticket
	 */
	public boolean hasOwnTicket() {
		return hasOwnTicket(this.mode, this.fair);
	}

	/**
	 * Return whether such callers have their own tickets.
	 * @param mode how the lock is shared
	 * @param fair whether the order of arrival holds over all JVMs
	 * @return whether no other caller shares the ticket
	 */
	public static boolean hasOwnTicket(LockMode mode, boolean fair) {
		return fair || mode == LockMode.READ;
	}

	/**
	 * Receives what happens to the wait of one caller. Called without a lock, on the
	 * caller's thread or on a callback thread.
	 */
	@FunctionalInterface
	public interface WaitListener {

		/**
		 * Called once, when the first attempt did not get the lock or other callers of
		 * this JVM are ahead, and waiting begins.
		 * @param sinceNanos when the caller asked for the lock, by the monotonic clock
		 */
		void waiting(long sinceNanos);

		/**
		 * Called when the wait ends because its time has passed, or when the caller may
		 * not wait because too many others do.
		 * @param reason {@link LockOutcome#TIMEOUT} or
		 * {@link LockOutcome#TOO_MANY_WAITING}
		 * @param holder what held the lock last, as far as this JVM knows without asking
		 * the store
		 */
		default void notAcquired(LockOutcome reason, @Nullable StoredHolder holder) {
		}

	}

}
