package io.github.distlock.transaction;

import java.lang.reflect.Method;

import io.github.distlock.HeldLock;

import org.springframework.aop.Advisor;
import org.springframework.util.ClassUtils;

/**
 * Knows where the transactions of the application begin and end. By itself it finds none,
 * as for an application without spring-tx; {@link SpringTransactionBoundary} implements
 * all methods. Thread-safe.
 */
public interface TransactionBoundary {

	/**
	 * Create an instance for Spring's transactions, if they are on the class path.
	 * @return the boundary
	 */
	static TransactionBoundary create() {
		return ClassUtils.isPresent("org.springframework.transaction.support.TransactionSynchronizationManager",
				TransactionBoundary.class.getClassLoader()) ? new SpringTransactionBoundary()
						: new TransactionBoundary() {
						};
	}

	/**
	 * Return whether a transaction is active on this thread and supports
	 * synchronizations.
	 * @return whether a transaction is active
	 */
	default boolean isActive() {
		return false;
	}

	/**
	 * Return whether a JPA {@code EntityManager} is bound to this thread that belongs to
	 * no transaction, as in an open session in view. Its persistence context may contain
	 * entities that were read earlier.
	 * @return whether one is bound
	 */
	default boolean hasOpenPersistenceContext() {
		return false;
	}

	/**
	 * Close a lock when the active transaction has completed. Until then a
	 * {@link CommitGuard} checks it.
	 * @param lock a held lock
	 */
	default void closeAfterCompletion(HeldLock lock) {
		throw new IllegalStateException("There is no transaction to close the lock '" + lock.key() + "' after");
	}

	/**
	 * Return whether an advisor starts a transaction around a method.
	 * @param advisor any advisor
	 * @param method the method
	 * @param type the class of the method
	 * @return whether it starts one
	 */
	default boolean demarcates(Advisor advisor, Method method, Class<?> type) {
		return false;
	}

}
