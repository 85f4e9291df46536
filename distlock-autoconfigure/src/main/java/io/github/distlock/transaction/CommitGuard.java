package io.github.distlock.transaction;

import java.util.Optional;
import java.util.function.Supplier;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.core.Ordered;
import org.springframework.core.PriorityOrdered;
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
public final class CommitGuard implements BeanPostProcessor, PriorityOrdered {

	private static final Log logger = LogFactory.getLog(CommitGuard.class);

	private final Supplier<CommitTerms> terms;

	private final Supplier<@Nullable TransactionFence> fence;

	/**
	 * Create the guard. The terms are read later.
	 * @param terms when a transaction may commit; read for each transaction manager
	 */
	public CommitGuard(Supplier<CommitTerms> terms) {
		this(terms, () -> null);
	}

	/**
	 * Create the guard. The arguments are read for each transaction manager.
	 * @param terms when a transaction may commit
	 * @param fence writes the tokens of locks into the databases, if it is wanted
	 */
	public CommitGuard(Supplier<CommitTerms> terms, Supplier<@Nullable TransactionFence> fence) {
		this.terms = terms;
		this.fence = fence;
	}

	/**
	 * Return what writes the tokens of locks into the databases.
	 * @return the fence, nothing if it is not wanted
	 */
	public Optional<TransactionFence> fence() {
		return Optional.ofNullable(this.fence.get());
	}

	/**
	 * Before all other post-processors, so that transaction managers are guarded that are
	 * created because another post-processor depends on them.
	 */
	@Override
	public int getOrder() {
		return Ordered.HIGHEST_PRECEDENCE;
	}

	@Override
	public Object postProcessAfterInitialization(Object bean, String beanName) {
		if (!(bean instanceof TransactionManager manager)) {
			return bean;
		}
		TransactionManager guarded = guard(manager, beanName);
		// After the guard, whose flush sends statements.
		fence().ifPresent((wanted) -> wanted.fence(manager, beanName));
		return guarded;
	}

	private TransactionManager guard(TransactionManager manager, String name) {
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
		logger.warn("Transactions of the transaction manager '" + name + "' (" + manager.getClass().getName()
				+ ") commit even if a lock under which they work is lost: its class is not a "
				+ "ConfigurableTransactionManager. Make it extend AbstractPlatformTransactionManager, or pass the "
				+ "listeners on to the manager that it wraps. Use fencing tokens, or suppress this warning with "
				+ "distlock.transaction.commit-guard=false");
		return manager;
	}

}
