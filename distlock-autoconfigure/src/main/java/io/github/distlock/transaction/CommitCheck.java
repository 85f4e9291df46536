package io.github.distlock.transaction;

import java.time.Duration;
import java.util.Collection;

import io.github.distlock.HeldLock;
import io.github.distlock.LockLostException;
import io.github.distlock.LossCause;
import org.jspecify.annotations.Nullable;

/**
 * Asks the locks of a transaction whether it may commit. The moment between the answer
 * and the database's own commit only the fencing token closes.
 *
 * @param margin what must be left of each lease
 */
record CommitCheck(Duration margin) {

	/**
	 * Verify the locks, and ask the store where only the store knows. May block.
	 */
	void verify(Collection<HeldLock> locks, @Nullable Throwable cause) {
		locks.forEach((lock) -> verify(lock, lock.confirmHeld(), cause));
	}

	/**
	 * Verify the locks by what this JVM knows. Does not block, for reactive threads.
	 */
	void verifyWithoutBlocking(Collection<HeldLock> locks) {
		locks.forEach((lock) -> verify(lock, true, null));
	}

	/**
	 * A lock that was released in time has covered its own work. It may still be in the
	 * context of work that its method has started and that outlives it.
	 */
	private void verify(HeldLock lock, boolean confirmed, @Nullable Throwable cause) {
		Duration left = confirmed ? lock.remaining() : Duration.ZERO;
		// In this order: the lock may be released between the two questions.
		if (isEnough(lock, left) || lock.isReleased()) {
			return;
		}
		if (left.isZero()) {
			LossCause lossCause = lock.lossCause();
			throw new LockLostException("The lock '" + lock.key()
					+ "' was lost before its transaction committed, so the transaction is rolled back: "
					+ ((lossCause != null) ? lossCause.description() + ", and another" : "another")
					+ " holder may have run at the same time. Try again"
					+ ((lossCause != null) ? ". " + lossCause.remedy() : ""), lossCause, cause);
		}
		throw new LockLostException("The lock '" + lock.key() + "' had " + left.toMillis()
				+ "ms left when its transaction was about to commit, less than distlock.transaction.commit-margin ("
				+ this.margin.toMillis() + "ms), so the transaction is rolled back. Try again, with a longer "
				+ "leaseTime or none, or a shorter margin", cause);
	}

	/** How long a session lives no clock says: the margin does not apply to it. */
	private boolean isEnough(HeldLock lock, Duration left) {
		return !left.isZero() && (lock.isSessionBound() || left.compareTo(this.margin) >= 0);
	}

}
