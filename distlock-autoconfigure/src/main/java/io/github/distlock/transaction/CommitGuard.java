package io.github.distlock.transaction;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.BeanFactoryAware;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.transaction.ConfigurableTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.ReactiveTransactionManager;
import org.springframework.transaction.TransactionManager;

/**
 * Rolls back every transaction that would commit under a lost lock. If the thread, or the
 * Reactor context, of a transaction works under a lock and that lock is lost, the commit
 * fails with {@link io.github.distlock.LockLostException}.
 * <p>
 * The guard listens to all transaction managers of the application that support
 * listeners, and logs a warning for the others. Register it as a bean if spring-tx is on
 * the class path.
 */
public final class CommitGuard implements BeanPostProcessor, SmartInitializingSingleton, BeanFactoryAware {

	private static final Log logger = LogFactory.getLog(CommitGuard.class);

	/** Names of the transaction managers that were processed. */
	private final Set<String> processed = ConcurrentHashMap.newKeySet();

	private final Supplier<CommitTerms> terms;

	private @Nullable ConfigurableListableBeanFactory beanFactory;

	/**
	 * Create the guard. The terms are read later.
	 * @param terms when a transaction may commit; read for each transaction manager
	 */
	public CommitGuard(Supplier<CommitTerms> terms) {
		this.terms = terms;
	}

	@Override
	public void setBeanFactory(BeanFactory beanFactory) {
		this.beanFactory = (ConfigurableListableBeanFactory) beanFactory;
	}

	@Override
	public Object postProcessAfterInitialization(Object bean, String beanName) {
		return (bean instanceof TransactionManager manager) ? guard(manager, beanName) : bean;
	}

	/**
	 * Guard the transaction managers that were created before this guard, because another
	 * bean post-processor depends on them. A manager that would have to be replaced by a
	 * proxy stays unguarded, which is logged.
	 */
	@Override
	public void afterSingletonsInstantiated() {
		ConfigurableListableBeanFactory beans = this.beanFactory;
		if (beans != null) {
			for (String name : beans.getBeanNamesForType(TransactionManager.class, false, false)) {
				if (beans.getSingleton(name) instanceof TransactionManager manager && !this.processed.contains(name)
						&& guard(manager, name) != manager) {
					warnUnguarded(manager, name,
							"it was created before the guard. No BeanPostProcessor may depend on it");
				}
			}
		}
	}

	private TransactionManager guard(TransactionManager manager, String name) {
		this.processed.add(name);
		CommitTerms current = this.terms.get();
		if (!current.guarded()) {
			return manager;
		}
		if (manager instanceof ConfigurableTransactionManager configurable) {
			if (manager instanceof PlatformTransactionManager) {
				configurable.addListener(new CommitGuardListener(current, manager));
				return manager;
			}
			if (manager instanceof ReactiveTransactionManager) {
				return ReactiveCommitGuardListener.around(configurable, current);
			}
		}
		warnUnguarded(manager, name, "its class is not a ConfigurableTransactionManager. Make it extend "
				+ "AbstractPlatformTransactionManager, or pass the listeners on to the manager that it wraps");
		return manager;
	}

	private static void warnUnguarded(TransactionManager manager, String name, String reason) {
		logger.warn("Transactions of the transaction manager '" + name + "' (" + manager.getClass().getName()
				+ ") commit even if a lock under which they work is lost: " + reason
				+ ". Use fencing tokens, or suppress this warning with distlock.transaction.commit-guard=false");
	}

}
