package io.github.distlock.transaction;

import java.time.Duration;
import java.util.Collection;

import io.github.distlock.HeldLock;
import io.github.distlock.LockLostException;
import org.jspecify.annotations.Nullable;

/**
 * Asks the locks of a transaction whether it may commit. The moment between the answer
 * and the database's own commit only the fencing token closes.
 *
 * @param margin what must be left of each lease
 */
record CommitCheck(Duration margin) {

	void verify(Collection<HeldLock> locks, @Nullable Throwable cause) {
		locks.forEach((lock) -> verify(lock, cause));
	}

	/**
	 * A lock that was released in time has covered its own work. It may still be in the
	 * context of work that its method has started and that outlives it.
	 */
	private void verify(HeldLock lock, @Nullable Throwable cause) {
		Duration left = lock.remaining();
		// In this order: the lock may be released between the two questions.
		if (!left.isZero() && left.compareTo(this.margin) >= 0 || lock.isReleased()) {
			return;
		}
		if (left.isZero()) {
			throw new LockLostException("The lock '" + lock.key()
					+ "' was lost before its transaction committed, so the transaction is rolled back: another holder "
					+ "may have run at the same time. Try again, with a longer leaseTime or none", cause);
		}
		throw new LockLostException("The lock '" + lock.key() + "' had " + left.toMillis()
				+ "ms left when its transaction was about to commit, less than distlock.transaction.commit-margin ("
				+ this.margin.toMillis() + "ms), so the transaction is rolled back. Try again, with a longer "
				+ "leaseTime or none, or a shorter margin", cause);
	}

}
