package io.github.distlock.transaction;

import java.lang.reflect.Method;

import io.github.distlock.HeldLock;

import org.springframework.aop.Advisor;
import org.springframework.aop.PointcutAdvisor;
import org.springframework.transaction.interceptor.TransactionInterceptor;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * {@link TransactionBoundary} for Spring's transactions. Loaded only if spring-tx is on
 * the class path.
 */
final class SpringTransactionBoundary implements TransactionBoundary {

	@Override
	public boolean isActive() {
		return TransactionSynchronizationManager.isActualTransactionActive()
				&& TransactionSynchronizationManager.isSynchronizationActive();
	}

	@Override
	public boolean hasOpenPersistenceContext() {
		return CommitGuardListener.JPA && PersistenceContexts.isOpenWithoutTransaction();
	}

	@Override
	public void closeAfterCompletion(HeldLock lock) {
		TransactionSynchronizationManager.registerSynchronization(new HeldLockRelease(lock));
	}

	@Override
	public boolean demarcates(Advisor advisor, Method method, Class<?> type) {
		return advisor.getAdvice() instanceof TransactionInterceptor
				&& (!(advisor instanceof PointcutAdvisor pointcutAdvisor)
						|| pointcutAdvisor.getPointcut().getMethodMatcher().matches(method, type));
	}

}
