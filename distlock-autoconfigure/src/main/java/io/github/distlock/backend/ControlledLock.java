package io.github.distlock.backend;

import java.time.Duration;

import io.github.distlock.HeldLock;
import io.github.distlock.LockDefinitionException;
import io.github.distlock.LockLostException;
import org.jspecify.annotations.Nullable;

import org.springframework.util.Assert;

/**
 * What this library does with a held lock on behalf of its holder. A registry of your own
 * may return any {@link HeldLock}: the static methods say what holds for a lock without
 * this interface.
 */
public interface ControlledLock extends HeldLock {

	/**
	 * Return whether the lock is bound to a session with the store instead of a lease: in
	 * ZooKeeper and in JDBC mode {@code connection}. Such a lock is held as long as the
	 * session lives. {@code distlock.transaction.commit-margin} does not apply to it.
	 * @return whether the lock ends with a session
	 */
	default boolean isSessionBound() {
		return false;
	}

	/**
	 * Limit the lock to the given time from now on, as if it had just been acquired with
	 * this lease time. The lock is not renewed any more, and it is lost when the time has
	 * passed. Sends no command on the calling thread.
	 * <p>
	 * This is for callers that acquire several locks before they start to work. It has no
	 * effect on a re-entry, since the outermost acquisition decides.
	 * @param leaseTime 100 ms to 365 days
	 * @throws LockDefinitionException if the time is too short or too long, or shorter
	 * than the rest of the minimum hold time
	 * @throws LockLostException if the lock is already lost
	 * @throws IllegalMonitorStateException if the lock is already closed
	 */
	void expireAfter(Duration leaseTime);

	/**
	 * Release a lock under which no work was done. Does the same as {@link #close()}, but
	 * frees the lock at once even if a minimum hold time was requested.
	 * @throws LockLostException if the lock was lost before
	 * @throws IllegalMonitorStateException if the lock is already closed; nothing is
	 * changed
	 */
	default void abandon() {
		close();
	}

	/**
	 * Return what a database compares, so that it refuses the transactions of earlier
	 * holders.
	 * @return the grant; {@code null} if the lock does not exclude holders in other JVMs
	 */
	default @Nullable FencedGrant fencedGrant() {
		return null;
	}

	/**
	 * Return whether a lock is bound to a session.
	 * @param lock any held lock
	 * @return {@code false} without this interface
	 */
	static boolean isSessionBound(HeldLock lock) {
		return lock instanceof ControlledLock controlled && controlled.isSessionBound();
	}

	/**
	 * Return what a database compares of a lock.
	 * @param lock any held lock
	 * @return the grant, {@code null} without this interface
	 */
	static @Nullable FencedGrant fencedGrant(HeldLock lock) {
		return (lock instanceof ControlledLock controlled) ? controlled.fencedGrant() : null;
	}

	/**
	 * Limit a lock to the given time from now on.
	 * @param lock any held lock
	 * @param leaseTime 100 ms to 365 days
	 * @throws IllegalArgumentException without this interface
	 */
	static void expireAfter(HeldLock lock, Duration leaseTime) {
		Assert.isInstanceOf(ControlledLock.class, lock, "A lock that is no ControlledLock can have no leaseTime");
		((ControlledLock) lock).expireAfter(leaseTime);
	}

	/**
	 * Release a lock under which no work was done.
	 * @param lock any held lock, which is closed without this interface
	 */
	static void abandon(HeldLock lock) {
		if (lock instanceof ControlledLock controlled) {
			controlled.abandon();
		}
		else {
			lock.close();
		}
	}

	/**
	 * A grant of a lock that one holder at a time has, over all JVMs.
	 *
	 * @param backend the name of the backend
	 * @param key the key, with the prefix of the application
	 * @param token the fencing token
	 * @param leaseTime the lease time that the caller has asked for, {@code null} if the
	 * watchdog renews the lock
	 */
	record FencedGrant(String backend, String key, long token, @Nullable Duration leaseTime) {
	}

}
