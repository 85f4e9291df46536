package io.github.distlock.transaction;

import java.lang.reflect.Method;

import io.github.distlock.HeldLock;

import org.springframework.aop.Advisor;
import org.springframework.util.ClassUtils;

/**
 * Where the transactions of the application begin and end. Works, and finds none, when
 * spring-tx is not on the class path. Thread-safe.
 */
public interface TransactionBoundary {

	/**
	 * Return a boundary that sees the transactions of Spring, if there can be any.
	 * @return the boundary
	 */
	static TransactionBoundary create() {
		return ClassUtils.isPresent("org.springframework.transaction.support.TransactionSynchronizationManager",
				TransactionBoundary.class.getClassLoader()) ? new SpringTransactionBoundary() : new NoTransactions();
	}

	/**
	 * Return whether a transaction runs on this thread that can say when it has
	 * completed.
	 * @return whether one runs
	 */
	boolean isActive();

	/**
	 * Return whether a JPA {@code EntityManager} is bound to this thread: its persistence
	 * context may have entities that were read earlier. Without a transaction that is an
	 * open session in view.
	 * @return whether one is bound
	 */
	boolean hasPersistenceContext();

	/**
	 * Return whether a method suspends a running transaction by its own annotation.
	 * @param method the method
	 * @param type the class whose method it is
	 * @return whether it works in another transaction, or in none
	 */
	boolean suspends(Method method, Class<?> type);

	/**
	 * Close a lock when the running transaction has completed. Until then it is one of
	 * the locks that a {@link CommitGuard} asks.
	 * @param lock a lock that is held
	 */
	void closeAfterCompletion(HeldLock lock);

	/**
	 * Return whether an advisor starts a transaction around a method.
	 * @param advisor any advisor
	 * @param method the method
	 * @param type the class whose method it is
	 * @return whether it starts one
	 */
	boolean demarcates(Advisor advisor, Method method, Class<?> type);

}
