package io.github.distlock.transaction;

import java.lang.reflect.Method;

import io.github.distlock.HeldLock;

import org.springframework.aop.Advisor;
import org.springframework.aop.PointcutAdvisor;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.annotation.AnnotationTransactionAttributeSource;
import org.springframework.transaction.interceptor.TransactionAttribute;
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
	public boolean hasPersistenceContext() {
		return CommitGuardListener.JPA && PersistenceContexts.isBound(false);
	}

	@Override
	public boolean hasPersistenceContextOfTransaction() {
		return CommitGuardListener.JPA && PersistenceContexts.isBound(true);
	}

	@Override
	public boolean suspends(Method method, Class<?> type) {
		TransactionAttribute attribute = new AnnotationTransactionAttributeSource(false).getTransactionAttribute(method,
				type);
		int propagation = (attribute != null) ? attribute.getPropagationBehavior()
				: TransactionDefinition.PROPAGATION_REQUIRED;
		return propagation == TransactionDefinition.PROPAGATION_REQUIRES_NEW
				|| propagation == TransactionDefinition.PROPAGATION_NOT_SUPPORTED;
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
