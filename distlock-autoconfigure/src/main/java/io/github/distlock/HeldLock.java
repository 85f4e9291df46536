package io.github.distlock;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

/**
 * A lock that was acquired, until it is closed or lost. Thread-safe: any thread may ask
 * and close it.
 */
public interface HeldLock extends AutoCloseable {

	/**
	 * Return the key that is locked.
	 * @return the key as the caller gave it
	 */
	String key();

	/**
	 * Return a number that is higher than that of every earlier holder of this key in the
	 * same store. A resource that remembers the highest number it has seen and refuses
	 * lower ones is safe from a holder that goes on after its lease has passed. A
	 * re-entry has the number of the outermost acquisition.
	 * @return the fencing token
	 */
	long fencingToken();

	/**
	 * Return whether the lock is held at this moment, as far as this JVM can know: it was
	 * not closed and its lease has not passed. Sends no command, calls no listener and
	 * interrupts no thread. The answer can be out of date when it arrives: only
	 * {@link #fencingToken()} protects a resource for certain.
	 * @return whether the lock is held; after {@code false} never again {@code true}
	 */
	boolean isHeld();

	/**
	 * Return how long the lock is certain to be held if this JVM hears nothing more from
	 * the store. Has no side effects, as {@link #isHeld()}. The answer depends on the
	 * kind of store:
	 * <ul>
	 * <li>Redis, Redlock, the local store and JDBC mode {@code lease}: what is left of
	 * the lease. A renewal extends it.</li>
	 * <li>ZooKeeper: what is left of the session, as far as the leader has confirmed it.
	 * At most the session timeout, usually between a quarter and all of it. The session
	 * extends it several times in each session timeout, so a small value does not mean
	 * that the lock is about to end. A shorter explicit lease time or maximum hold time
	 * limits it.</li>
	 * <li>JDBC mode {@code row}: the lock lasts as long as its database connection, which
	 * has no end that is known in advance. While it is held the answer is
	 * {@code Duration.ofNanos(Long.MAX_VALUE)} (292 years), or what is left of an
	 * explicit lease time or maximum hold time. The store checks the connection every
	 * second, {@link #confirmHeld()} at once.</li>
	 * </ul>
	 * @return the remaining time, zero when the lock is not held
	 */
	Duration remaining();

	/**
	 * Return whether the lock is held, after asking the store where only the store can
	 * know: in the JDBC mode {@code row}. Sends one command there and blocks for its
	 * answer. Everywhere else this is {@link #isHeld()}. A lock that turns out to be lost
	 * is lost from then on, with all consequences. If the store does not answer, the lock
	 * counts as held.
	 * @return whether the lock is held
	 */
	default boolean confirmHeld() {
		return isHeld();
	}

	/**
	 * Return whether the lock is held as long as a session with the store lives, and not
	 * until a moment: in ZooKeeper and in the JDBC mode {@code row}.
	 * {@code distlock.transaction.commit-margin} does not apply to such a lock.
	 * @return whether the lock ends with a session
	 */
	default boolean isSessionBound() {
		return false;
	}

	/**
	 * Return whether the lock was released in time: it was closed, and it was still held
	 * at that moment. {@code false} for a lock that is open, and for one that was lost,
	 * before or at its {@link #close()}. Sends no command. Work that a lock covered and
	 * that goes on after its release can distinguish the two: a transaction that commits
	 * under a released lock is not rolled back.
	 * @return whether the lock was released while it was held; {@code false} if this kind
	 * of lock does not know
	 */
	default boolean isReleased() {
		return false;
	}

	/**
	 * Return why the lock was lost. Has no side effects.
	 * @return the cause, {@code null} if the lock is held, was released in time, or if
	 * this kind of lock does not know
	 */
	default @Nullable LossCause lossCause() {
		return null;
	}

	/**
	 * Run a callback when the lock is lost: its lease has passed or the store no longer
	 * knows it. It runs once, on a thread of the library, and must not block; at once on
	 * this thread if the lock is lost already; never if the lock was closed in time.
	 * @param callback what to run
	 */
	void onLost(Runnable callback);

	/**
	 * Hold the lock for this long at most from now on, as if it had just been acquired
	 * with this lease time: it is not renewed any more, and lost at the end. For those
	 * who acquire several locks before they begin. Does nothing for a re-entry, since the
	 * outermost acquisition decides. Sends nothing on this thread.
	 * @param leaseTime 100 ms to 365 days
	 * @throws LockDefinitionException if it is too short or too long, or shorter than
	 * what is left of the minimum hold time
	 * @throws LockLostException if the lock is lost already
	 * @throws IllegalMonitorStateException if it was closed before
	 * @throws UnsupportedOperationException if this kind of lock cannot end by itself
	 */
	default void expireAfter(Duration leaseTime) {
		throw new UnsupportedOperationException(getClass().getName() + " cannot expire");
	}

	/**
	 * Release the lock; for a re-entry, give back one level. Sends the release to the
	 * store and waits for the answer of one command; if the store cannot be reached the
	 * release goes on in the background and nothing is thrown. An interrupt does not
	 * prevent the release. A lock with a {@link LockRequest#minHold minimum hold time} is
	 * no longer held either, but stays taken until that time has passed.
	 * @throws LockLostException if the lock was lost before
	 * @throws IllegalMonitorStateException if it was closed before; nothing is changed
	 */
	@Override
	void close();

	/**
	 * Release a lock under which nothing was done: like {@link #close()}, but at once,
	 * whatever minimum hold time was asked for.
	 * @throws LockLostException if the lock was lost before
	 * @throws IllegalMonitorStateException if it was closed before; nothing is changed
	 */
	default void abandon() {
		close();
	}

}
