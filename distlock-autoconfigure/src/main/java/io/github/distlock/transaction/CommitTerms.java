package io.github.distlock.transaction;

import java.time.Duration;
import java.util.Collection;

import io.github.distlock.HeldLock;
import io.github.distlock.LockLostException;
import io.github.distlock.backend.ControlledLock;
import org.jspecify.annotations.Nullable;

/**
 * Conditions for the commit of a transaction that works under a lock, and their check.
 * Only a fencing token can stop a process that pauses between this check and the commit
 * of the database.
 *
 * @param guarded whether commits are checked
 * @param margin minimum remaining lease of each lock; with zero the lock only has to be
 * held
 */
public record CommitTerms(boolean guarded, Duration margin) {

	/**
	 * Verify the locks, and ask the store where only the store can know. May block.
	 * @param locks the locks of the transaction
	 * @param cause failure that led to this check, if any
	 * @throws LockLostException if a lock is lost, or too little of its lease is left
	 */
	void verify(Collection<HeldLock> locks, @Nullable Throwable cause) {
		locks.forEach((lock) -> verify(lock, lock.confirmHeld(), cause));
	}

	/**
	 * Verify the locks with the knowledge of this JVM only. Does not block, for reactive
	 * threads.
	 * @param locks the locks of the transaction
	 * @throws LockLostException if a lock is lost, or too little of its lease is left
	 */
	void verifyWithoutBlocking(Collection<HeldLock> locks) {
		locks.forEach((lock) -> verify(lock, true, null));
	}

	/**
	 * Verify one lock. A lock that was released in time has covered its own work, so it
	 * passes. It may still be in the context of work that its method has started and that
	 * outlives the method.
	 */
	private void verify(HeldLock lock, boolean confirmed, @Nullable Throwable cause) {
		Duration remaining = confirmed ? lock.remaining() : Duration.ZERO;
		// Keep this order: the lock may be released between the two calls.
		if (isEnough(lock, remaining) || lock.isReleased()) {
			return;
		}
		if (remaining.isZero()) {
			throw new LockLostException(lock.key(), lock.fencingToken(), "before its transaction committed",
					lock.lossCause(), "The transaction is rolled back, since another holder may have run at the same"
							+ " time. Try again",
					cause);
		}
		throw new LockLostException("The lock '" + lock.key() + "' had " + remaining.toMillis()
				+ "ms left when its transaction was about to commit, less than distlock.transaction.commit-margin ("
				+ this.margin.toMillis() + "ms), so the transaction is rolled back. Try again, with a longer "
				+ "leaseTime or none, or a shorter margin", cause);
	}

	/**
	 * The remaining life of a session is unknown, so the margin does not apply to a
	 * session.
	 */
	private boolean isEnough(HeldLock lock, Duration remaining) {
		return !remaining.isZero() && (ControlledLock.isSessionBound(lock) || remaining.compareTo(this.margin) >= 0);
	}

}
