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
 * Has every transaction that commits while its thread, or its Reactor context, works
 * under locks roll back with {@link io.github.distlock.LockLostException} if one of them
 * is lost. Listens to all transaction managers of the application that let it, and names
 * the others in the log. Register it as a bean, where spring-tx is on the class path.
 */
public final class CommitGuard implements BeanPostProcessor, SmartInitializingSingleton, BeanFactoryAware {

	private static final Log logger = LogFactory.getLog(CommitGuard.class);

	/** Names of the transaction managers that were looked at. */
	private final Set<String> seen = ConcurrentHashMap.newKeySet();

	private final Supplier<CommitTerms> terms;

	private @Nullable ConfigurableListableBeanFactory beanFactory;

	/**
	 * Create the guard; asks for nothing.
	 * @param terms when a transaction may commit; asked at every transaction manager
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
		return (bean instanceof TransactionManager manager) ? guarded(manager, beanName) : bean;
	}

	/**
	 * Those that another bean post-processor needed were made before this one was.
	 */
	@Override
	public void afterSingletonsInstantiated() {
		ConfigurableListableBeanFactory beans = this.beanFactory;
		if (beans != null) {
			for (String name : beans.getBeanNamesForType(TransactionManager.class, false, false)) {
				if (beans.getSingleton(name) instanceof TransactionManager manager && !this.seen.contains(name)
						&& guarded(manager, name) != manager) {
					unguarded(manager, name, "it was created before the guard. Let no BeanPostProcessor depend on it");
				}
			}
		}
	}

	private TransactionManager guarded(TransactionManager manager, String name) {
		this.seen.add(name);
		CommitTerms wanted = this.terms.get();
		if (!wanted.guarded()) {
			return manager;
		}
		CommitCheck check = new CommitCheck(wanted.margin());
		if (manager instanceof ConfigurableTransactionManager audible) {
			if (manager instanceof PlatformTransactionManager) {
				audible.addListener(new CommitGuardListener(check, manager));
				return manager;
			}
			if (manager instanceof ReactiveTransactionManager) {
				return ReactiveCommitGuardListener.around(audible, check);
			}
		}
		unguarded(manager, name, "its class is no ConfigurableTransactionManager. Have it extend "
				+ "AbstractPlatformTransactionManager, or hand the listeners on to the manager that it wraps");
		return manager;
	}

	private static void unguarded(TransactionManager manager, String name, String why) {
		logger.warn("Transactions of the transaction manager '" + name + "' (" + manager.getClass().getName()
				+ ") commit even if a lock under which they work is lost: " + why
				+ ". Use fencing tokens, or say that you know with distlock.transaction.commit-guard=false");
	}

}
