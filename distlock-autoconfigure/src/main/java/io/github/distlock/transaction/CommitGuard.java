package io.github.distlock.transaction;

import io.github.distlock.LockContext;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.transaction.ConfigurableTransactionManager;
import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.TransactionExecutionListener;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * Has every transaction that begins while its thread holds a lock roll back if the lock
 * is lost before the commit. Listens to all transaction managers of the application that
 * let it. Register it as a bean, where spring-tx is on the class path.
 */
public final class CommitGuard implements BeanPostProcessor, TransactionExecutionListener {

	@Override
	public Object postProcessAfterInitialization(Object bean, String beanName) {
		if (bean instanceof ConfigurableTransactionManager manager
				&& !manager.getTransactionExecutionListeners().contains(this)) {
			manager.addListener(this);
		}
		return bean;
	}

	@Override
	public void afterBegin(TransactionExecution transaction, @Nullable Throwable beginFailure) {
		if (beginFailure == null && TransactionSynchronizationManager.isSynchronizationActive()) {
			LockContext.all()
				.forEach((lock) -> TransactionSynchronizationManager.registerSynchronization(new HeldLockCheck(lock)));
		}
	}

}
