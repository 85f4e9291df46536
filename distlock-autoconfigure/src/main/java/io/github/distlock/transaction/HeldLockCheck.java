package io.github.distlock.transaction;

import io.github.distlock.HeldLock;
import io.github.distlock.LockLostException;

import org.springframework.core.Ordered;
import org.springframework.transaction.support.TransactionSynchronization;

/**
 * Has a transaction roll back if a lock under which it works was lost. Checks as late as
 * it can, after everything that other synchronizations flush; the moment between the
 * check and the database's own commit only the fencing token closes.
 *
 * @param lock the lock
 */
record HeldLockCheck(HeldLock lock) implements TransactionSynchronization {

	@Override
	public int getOrder() {
		return Ordered.LOWEST_PRECEDENCE;
	}

	@Override
	public void beforeCommit(boolean readOnly) {
		if (!this.lock.isHeld()) {
			throw new LockLostException("The lock '" + this.lock.key()
					+ "' was lost before its transaction committed, so the transaction is rolled back: another holder "
					+ "may have run at the same time. Try again, with a longer leaseTime or none");
		}
	}

}
