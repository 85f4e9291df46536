package io.github.distlock.transaction;

import java.util.LinkedHashSet;
import java.util.Set;

import io.github.distlock.HeldLock;
import io.github.distlock.LockContext;
import io.github.distlock.transaction.TransactionBoundary.HeldLockRelease;

import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.TransactionExecutionListener;
import org.springframework.transaction.TransactionManager;
import org.springframework.transaction.TransactionStatus;
import org.springframework.transaction.support.ResourceTransactionManager;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * Checks the locks before each commit of a transaction that is bound to its thread. Runs
 * after all synchronizations and immediately before the resource commits. An exception
 * from here rolls the transaction back.
 */
final class CommitGuardListener implements TransactionExecutionListener {

	private final CommitTerms terms;

	private final TransactionManager manager;

	/**
	 * Create a listener.
	 * @param terms checks the locks
	 * @param manager the transaction manager that it listens to
	 */
	CommitGuardListener(CommitTerms terms, TransactionManager manager) {
		this.terms = terms;
		this.manager = manager;
	}

	@Override
	public void beforeCommit(TransactionExecution transaction) {
		Set<HeldLock> locks = locks();
		if (!locks.isEmpty()) {
			// Also check before the flush: it would wait for rows that the next holder
			// has changed, and fail on them.
			this.terms.verify(locks, null);
			flush(transaction, locks);
			this.terms.verify(locks, null);
		}
	}

	/**
	 * Flush the persistence context that the transaction manager commits. Otherwise its
	 * changes would be sent during the commit, after the check. The persistence context
	 * of a read-only transaction sends no changes, nor does a session in manual flush
	 * mode. Persistence contexts that only joined the transaction have already been
	 * closed; a flush does not reach them.
	 */
	private void flush(TransactionExecution transaction, Set<HeldLock> locks) {
		if (transaction instanceof TransactionStatus status && status.isNewTransaction() && !status.isReadOnly()
				&& TransactionBoundary.JPA && this.manager instanceof ResourceTransactionManager owner
				&& PersistenceContexts.isFlushedAtCommit(owner)) {
			try {
				status.flush();
			}
			catch (RuntimeException failure) {
				this.terms.verify(locks, failure);
				throw failure;
			}
		}
	}

	/**
	 * Return the locks under which this thread works, and the locks that are kept for the
	 * transaction although their methods have returned.
	 */
	private static Set<HeldLock> locks() {
		Set<HeldLock> locks = new LinkedHashSet<>(LockContext.all());
		if (TransactionSynchronizationManager.isSynchronizationActive()) {
			for (TransactionSynchronization synchronization : TransactionSynchronizationManager.getSynchronizations()) {
				if (synchronization instanceof HeldLockRelease release) {
					locks.add(release.lock());
				}
			}
		}
		return locks;
	}

}
