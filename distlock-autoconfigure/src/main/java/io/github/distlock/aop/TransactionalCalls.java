package io.github.distlock.aop;

import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;

import io.github.distlock.HeldLock;
import io.github.distlock.transaction.OnActiveTransaction;
import io.github.distlock.transaction.TransactionBoundary;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

/**
 * Calls that are made inside a running transaction.
 */
final class TransactionalCalls {

	private static final Log logger = LogFactory.getLog(TransactionalCalls.class);

	private final Set<LockedMethod> warned = ConcurrentHashMap.newKeySet();

	private final Supplier<OnActiveTransaction> reaction;

	private final TransactionBoundary transactions = TransactionBoundary.create();

	private final RejectionReporter refusedCalls;

	TransactionalCalls(Supplier<OnActiveTransaction> reaction, RejectionReporter refusedCalls) {
		this.reaction = reaction;
		this.refusedCalls = refusedCalls;
	}

	/**
	 * Refuse the call before it waits for a lock that it must not have.
	 */
	void check(LockDefinition definition) {
		if (this.transactions.isActive()) {
			checkInside(definition);
		}
	}

	/**
	 * Refuse a call whose subscriber works inside a transaction, before it waits for a
	 * lock that it must not have.
	 */
	void checkSubscribed(LockDefinition definition) {
		this.refusedCalls.tell(definition, () -> {
			checkInside(definition);
			return definition;
		});
	}

	private void checkInside(LockDefinition definition) {
		if (this.reaction.get() == OnActiveTransaction.FAIL) {
			throw definition.where()
				.refuse("was called inside a running transaction, which distlock.transaction.on-active=fail forbids: "
						+ "call it outside of transactions, and start the transaction inside of it");
		}
	}

	/**
	 * Bind the locks to the running transaction, if there is one.
	 * @param where the method
	 * @param locks in the order in which they were taken
	 * @return what becomes of the locks when the method has ended
	 */
	LockRelease enter(LockedMethod where, List<HeldLock> locks) {
		if (!this.transactions.isActive()) {
			warnOfPersistenceContext(where);
			return LockRelease.CLOSING;
		}
		if (!keeps(where)) {
			return LockRelease.CLOSING;
		}
		for (int i = locks.size() - 1; i >= 0; i--) {
			this.transactions.closeAfterCompletion(locks.get(i));
		}
		return LockRelease.LEAVING;
	}

	/**
	 * Return whether the locks of a method that was called inside a running transaction
	 * are kept until that has completed, and warn once if they are.
	 */
	boolean keeps(LockedMethod where) {
		if (this.reaction.get() != OnActiveTransaction.KEEP) {
			return false;
		}
		if (this.warned.add(where)) {
			logger.warn("The locked method " + where + " was called inside a running transaction. " + (this.transactions
				.suspends(where.method(), where.beanClass())
						? "It has a transaction of its own, or none, but its lock is kept until the outer transaction "
								+ "has completed, so that calls in a loop hold all their locks at the same time. "
								+ "Call it outside of the outer transaction, or set distlock.transaction.on-active "
								+ "to release if no locked method works in the transaction of its caller"
						: "Its lock is kept until that transaction has completed, but the transaction may have read "
								+ "before the lock was there. Start the transaction inside the locked method, or set "
								+ "distlock.transaction.on-active")
					+ ". This is said once for each method");
		}
		return true;
	}

	/** An open session in view: what it has read before is not read again. */
	private void warnOfPersistenceContext(LockedMethod where) {
		if (this.transactions.hasPersistenceContext() && this.warned.add(where)) {
			logger.warn("The locked method " + where + " was called while an EntityManager is open on the thread, "
					+ "without a transaction (spring.jpa.open-in-view). Entities that it has loaded before the lock was "
					+ "there are not read again, and may be stale. Set spring.jpa.open-in-view to false, or refresh such "
					+ "entities in the locked method. This is said once for each method");
		}
	}

}
