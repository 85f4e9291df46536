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
	 * Return whether a JPA {@code EntityManager} is bound to this thread, whose
	 * persistence context may contain entities that were read earlier. Without a
	 * transaction this is an open session in view.
	 * @return whether one is bound
	 */
	default boolean hasPersistenceContext() {
		return false;
	}

	/**
	 * Return whether that {@code EntityManager} is the one of a transaction. If no
	 * transaction is active, it has committed, as in a listener after the commit.
	 * @return whether it is
	 */
	default boolean hasPersistenceContextOfTransaction() {
		return false;
	}

	/**
	 * Return whether a method suspends an active transaction by its own annotation.
	 * @param method the method
	 * @param type the class of the method
	 * @return whether it runs in another transaction, or in none
	 */
	default boolean suspends(Method method, Class<?> type) {
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
