package io.github.distlock.aop;

import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;

import io.github.distlock.HeldLock;
import io.github.distlock.transaction.Demarcation;
import io.github.distlock.transaction.OnActiveTransaction;
import io.github.distlock.transaction.TransactionBoundary;
import io.github.distlock.transaction.TransactionLockRegistry;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * Handles calls of locked methods inside a running transaction.
 */
final class TransactionalCalls {

	private static final Log logger = LogFactory.getLog(TransactionalCalls.class);

	private final Set<LockedMethod> warned = ConcurrentHashMap.newKeySet();

	private final Supplier<OnActiveTransaction> reaction;

	/** How a transaction begins inside of the locks of a method, if one does. */
	private final Map<LockedMethod, Demarcation> demarcations = new ConcurrentHashMap<>();

	/** The methods whose transactions can be their locks. Each has a demarcation. */
	private final Map<LockedMethod, TransactionLockRegistry> locking = new ConcurrentHashMap<>();

	TransactionalCalls(Supplier<OnActiveTransaction> reaction) {
		this.reaction = reaction;
	}

	/**
	 * Refuse a call inside a running transaction, if its locks must not be acquired
	 * there.
	 */
	void check(LockDefinition definition) {
		if (this.reaction.get() == OnActiveTransaction.FAIL) {
			throw definition.method()
				.refuse("was called inside a running transaction, which distlock.transaction.on-active=fail forbids: "
						+ "call it outside of transactions, and start the transaction inside of it");
		}
	}

	/** Remember how a transaction begins inside of the locks of a method. */
	void inside(LockedMethod method, @Nullable Demarcation demarcation) {
		if (demarcation != null) {
			this.demarcations.put(method, demarcation);
		}
	}

	/** Refuse a method whose transaction cannot be its lock, in the store transaction. */
	TransactionLockRegistry verify(LockDefinition definition, TransactionLockRegistry registry) {
		LockedMethod method = definition.method();
		Demarcation demarcation = this.demarcations.get(method);
		if (demarcation == null || !this.locking.containsKey(method)) {
			String problem = (ReturnKind.of(method) != ReturnKind.SYNCHRONOUS)
					? "returns before its transaction ends: lock a synchronous method"
					: (LockedMethod.tokenPosition(method.method()) != LockedMethod.NO_TOKEN)
							? "has a @FencingToken parameter, but such a lock has no token: remove it"
							: (this.reaction.get() == OnActiveTransaction.RELEASE)
									? "must not end before a running transaction: remove"
											+ " distlock.transaction.on-active=release"
									: (demarcation == null)
											? "has no transaction inside of the lock: write @Transactional on the method"
											: registry.problem(demarcation);
			if (problem != null || demarcation == null) {
				throw method.refuse("does not fit the store 'transaction': it " + problem);
			}
			this.locking.put(method, registry);
		}
		registry.checkBegin(method, demarcation);
		return registry;
	}

	/**
	 * Bind the locks to the running transaction, if there is one.
	 * @param method the method
	 * @param locks in the order in which they were acquired
	 * @return whether the transaction releases the locks when it has completed
	 */
	boolean enter(LockedMethod method, List<HeldLock> locks) {
		boolean active = TransactionBoundary.isActive();
		if (!active && TransactionBoundary.hasOpenPersistenceContext() && this.warned.add(method)) {
			warnOfPersistenceContext(method);
		}
		boolean kept = active && joins(method) && keeps(method);
		if (kept) {
			TransactionBoundary.closeAfterCompletion(locks);
		}
		return kept;
	}

	private boolean joins(LockedMethod method) {
		TransactionLockRegistry own = this.locking.get(method);
		return own == null || own.joins(Objects.requireNonNull(this.demarcations.get(method)));
	}

	/**
	 * Return whether the locks of a method that was called inside a running transaction
	 * are kept until that has completed, and warn once if they are.
	 */
	boolean keeps(LockedMethod method) {
		if (this.reaction.get() != OnActiveTransaction.KEEP) {
			return false;
		}
		if (this.warned.add(method)) {
			logger.warn("The locked method " + method
					+ " was called inside a running transaction. Its lock is kept until "
					+ "that transaction has completed, but the transaction may have read before the lock was acquired. "
					+ "Start the transaction inside the locked method, or set distlock.transaction.on-active. This is "
					+ "logged once for each method");
		}
		return true;
	}

	/** An open persistence context does not read again what it has read before. */
	private static void warnOfPersistenceContext(LockedMethod method) {
		logger.warn("The locked method " + method + " was called while an EntityManager is open on the thread, without "
				+ "a transaction (spring.jpa.open-in-view). Entities that it has loaded before the lock was there are "
				+ "not read again, and may be stale. Set spring.jpa.open-in-view to false, or refresh such entities "
				+ "in the locked method. This is logged once for each method");
	}

}
