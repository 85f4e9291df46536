package io.github.distlock.transaction;

import java.lang.reflect.Method;

import io.github.distlock.HeldLock;

import org.springframework.aop.Advisor;

/**
 * {@link TransactionBoundary} for an application without spring-tx.
 */
final class NoTransactions implements TransactionBoundary {

	@Override
	public boolean isActive() {
		return false;
	}

	@Override
	public boolean hasPersistenceContext() {
		return false;
	}

	@Override
	public boolean hasPersistenceContextOfTransaction() {
		return false;
	}

	@Override
	public boolean suspends(Method method, Class<?> type) {
		return false;
	}

	@Override
	public void closeAfterCompletion(HeldLock lock) {
		throw new IllegalStateException("There is no transaction to close the lock '" + lock.key() + "' after");
	}

	@Override
	public boolean demarcates(Advisor advisor, Method method, Class<?> type) {
		return false;
	}

}
