package io.github.distlock.transaction;

import java.util.LinkedHashSet;
import java.util.Set;

import io.github.distlock.HeldLock;
import io.github.distlock.LockContext;

import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.TransactionExecutionListener;
import org.springframework.transaction.TransactionManager;
import org.springframework.transaction.TransactionStatus;
import org.springframework.transaction.support.ResourceTransactionManager;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.util.ClassUtils;

/**
 * Hears of the commits of transactions that are bound to their thread: after everything
 * that synchronizations do, right before the resource is told to commit. What is thrown
 * here rolls back.
 */
final class CommitGuardListener implements TransactionExecutionListener {

	static final boolean JPA = ClassUtils.isPresent("org.springframework.orm.jpa.EntityManagerHolder",
			CommitGuardListener.class.getClassLoader());

	private final CommitCheck check;

	private final TransactionManager manager;

	/**
	 * Create a listener.
	 * @param check asks the locks
	 * @param manager the one that it listens to
	 */
	CommitGuardListener(CommitCheck check, TransactionManager manager) {
		this.check = check;
		this.manager = manager;
	}

	@Override
	public void beforeCommit(TransactionExecution transaction) {
		Set<HeldLock> locks = locks();
		if (!locks.isEmpty()) {
			// Before the flush, too: it would wait for rows that the next holder has
			// changed, and fail on them.
			this.check.verify(locks, null);
			flush(transaction, locks);
			this.check.verify(locks, null);
		}
	}

	/**
	 * The persistence context that the manager commits sends its changes inside of the
	 * commit, which would be after the check. That of a read-only transaction sends none,
	 * nor that of a session which is flushed by hand. Those that only joined the
	 * transaction have been closed already, and no flush reaches them.
	 */
	private void flush(TransactionExecution transaction, Set<HeldLock> locks) {
		if (transaction instanceof TransactionStatus status && status.isNewTransaction() && !status.isReadOnly() && JPA
				&& this.manager instanceof ResourceTransactionManager owner
				&& PersistenceContexts.sendsAtCommit(owner)) {
			try {
				status.flush();
			}
			catch (RuntimeException failure) {
				this.check.verify(locks, failure);
				throw failure;
			}
		}
	}

	/**
	 * The locks under which this thread works now, and those that are kept for the
	 * transaction although their methods have returned.
	 */
	private static Set<HeldLock> locks() {
		Set<HeldLock> locks = new LinkedHashSet<>(LockContext.all());
		if (TransactionSynchronizationManager.isSynchronizationActive()) {
			for (TransactionSynchronization synchronization : TransactionSynchronizationManager.getSynchronizations()) {
				if (synchronization instanceof HeldLockRelease kept) {
					locks.add(kept.lock());
				}
			}
		}
		return locks;
	}

}
