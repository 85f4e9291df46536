package io.github.distlock;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;

import org.jspecify.annotations.Nullable;

/**
 * A lock that was acquired and is held until it is closed or lost. Thread-safe: any
 * thread may query it and close it.
 */
public interface HeldLock extends AutoCloseable {

	/**
	 * Return the key of the lock.
	 * @return the key as the caller gave it, without a {@link LockKeyPrefix}
	 */
	String key();

	/**
	 * Return the label of the lock, for logs and meters. A re-entry has the label of the
	 * outermost acquisition.
	 * @return the name that was requested, or {@value LockRequest#UNNAMED}
	 */
	default String name() {
		return LockRequest.UNNAMED;
	}

	/**
	 * Return the fencing token: a number that is higher than that of every earlier holder
	 * of this key in the same store. A resource that remembers the highest token it has
	 * seen, and refuses lower ones, is protected from a holder that continues after its
	 * lease has expired. A re-entry has the token of the outermost acquisition.
	 * @return the fencing token
	 */
	long fencingToken();

	/**
	 * Return whether the lock is held now, as far as this JVM can know: it was not closed
	 * and its lease has not expired. Sends no command, calls no listener and interrupts
	 * no thread.
	 * <p>
	 * The answer may be out of date when the caller reads it. Only
	 * {@link #fencingToken()} reliably protects a resource.
	 * @return whether the lock is held; once {@code false}, it never becomes {@code true}
	 * again
	 */
	boolean isHeld();

	/**
	 * Return how long the lock is certain to be held if this JVM receives no further
	 * answer from the store. Has no side effects, like {@link #isHeld()}. The meaning
	 * depends on the kind of store:
	 * <ul>
	 * <li>Redis, Redlock, the local store and JDBC mode {@code lease}: the rest of the
	 * lease. A renewal extends it.</li>
	 * <li>ZooKeeper: the rest of the session, as far as the leader has confirmed it. At
	 * most the session timeout, usually between a quarter of it and all of it. The
	 * session is extended several times in each session timeout, so a small value does
	 * not mean that the lock is about to end. A shorter explicit lease time or maximum
	 * hold time limits the value.</li>
	 * <li>JDBC mode {@code connection}: the lock lasts as long as its database
	 * connection, which the store checks every second; {@link #confirmHeld()} checks it
	 * at once. PostgreSQL ends a connection that is silent for the lease: the value is
	 * the rest of that time since the last check. Elsewhere the connection has no known
	 * end, and the value is {@code Duration.ofNanos(Long.MAX_VALUE)} (292 years). A
	 * shorter explicit lease time or maximum hold time limits the value.</li>
	 * </ul>
	 * @return the remaining time, zero if the lock is not held
	 */
	Duration remaining();

	/**
	 * Return whether the lock is held, after asking the store where only the store can
	 * know. In JDBC mode {@code connection} this sends one command and blocks until the
	 * answer arrives. In every other store it is equal to {@link #isHeld()}.
	 * <p>
	 * If the store answers that the lock is lost, or does not answer within its command
	 * time-out, the lock is lost from then on, with all consequences.
	 * @return whether the store has confirmed during this call that the lock is held
	 */
	default boolean confirmHeld() {
		return isHeld();
	}

	/**
	 * Return whether the lock was released in time: it was closed, and it was still held
	 * at that moment. Sends no command.
	 * <p>
	 * The value is {@code false} for a lock that is still open, and for one that was lost
	 * before or during {@link #close()}. Work that continues after the release can
	 * therefore distinguish a release from a loss: a transaction that commits under a
	 * released lock is not rolled back. The value stays {@code true} if the store answers
	 * to a release in the background that the lock had been lost; only
	 * {@link LockListener#onLost} reports that.
	 * @return whether the lock was released while it was held; {@code false} if this kind
	 * of lock does not know
	 */
	default boolean isReleased() {
		return false;
	}

	/**
	 * Return why the lock was lost. Has no side effects.
	 * @return the cause; {@code null} if the lock is held, if it was released in time
	 * (see {@link #isReleased()}), or if this kind of lock does not know
	 */
	default @Nullable LossCause lossCause() {
		return null;
	}

	/**
	 * Register a callback for the loss of the lock: its lease has expired, or the store
	 * no longer knows it. The callback runs once, on a thread of the library, and must
	 * not block. If the lock is already lost, the callback runs immediately on the
	 * calling thread. If the lock is closed in time, the callback never runs.
	 * @param callback what to run
	 */
	void onLost(Runnable callback);

	/**
	 * Release the lock. For a re-entry, undo one level.
	 * <p>
	 * Sends the release to the store and waits for the answer to one command. With
	 * releases in the background, or if the next caller of this JVM gets the lock, it
	 * does not wait. If the store cannot be reached, the release continues in the
	 * background and no exception is thrown. An interrupt does not prevent the release. A
	 * lock with a {@link LockRequest#minHold minimum hold time} is no longer held either,
	 * but it stays taken until that time has passed.
	 * @throws LockLostException if the lock was lost before
	 * @throws IllegalMonitorStateException if the lock is already closed; nothing is
	 * changed
	 */
	@Override
	void close();

	/**
	 * Release the lock without a thread that waits for the store. For a re-entry, undo
	 * one level.
	 * <p>
	 * The future ends as {@link #close()} would. From the call on, the lock is not held
	 * any more. Dependent stages run on the calling thread or on a thread of the library,
	 * and must not block. Cancelling the future changes nothing.
	 * @return a future that completes when the lock is released, or with the exception
	 * that {@link #close()} would throw; this method itself throws none of them
	 */
	default CompletableFuture<Void> closeAsync() {
		try {
			close();
			return CompletableFuture.completedFuture(null);
		}
		catch (LockException | IllegalMonitorStateException ex) {
			return CompletableFuture.failedFuture(ex);
		}
	}

}
