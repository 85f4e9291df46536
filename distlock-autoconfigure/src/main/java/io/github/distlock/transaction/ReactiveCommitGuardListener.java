package io.github.distlock.transaction;

import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.WeakHashMap;

import io.github.distlock.HeldLock;
import io.github.distlock.LockContext;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;
import reactor.util.context.ContextView;

import org.springframework.aop.framework.ProxyFactory;
import org.springframework.transaction.ConfigurableTransactionManager;
import org.springframework.transaction.ReactiveTransaction;
import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.TransactionExecutionListener;
import org.springframework.transaction.TransactionManager;

/**
 * Checks the locks before each commit of a reactive transaction.
 * <p>
 * A listener does not know in which Reactor context it is called, and the methods of a
 * reactive transaction manager are final. Therefore this class has two roles. As the
 * advice of a proxy it records the locks of the Reactor context when a transaction
 * begins, and the locks that are kept for the transaction when it is about to commit. As
 * a listener it checks the recorded locks at the commit.
 */
final class ReactiveCommitGuardListener implements MethodInterceptor, TransactionExecutionListener {

	private final CommitTerms terms;

	/**
	 * Locks of each transaction, from its begin to its completion. Weak, since a
	 * transaction may never complete.
	 */
	private final Map<TransactionExecution, List<HeldLock>> locks = Collections.synchronizedMap(new WeakHashMap<>());

	private ReactiveCommitGuardListener(CommitTerms terms) {
		this.terms = terms;
	}

	static TransactionManager around(ConfigurableTransactionManager manager, CommitTerms terms) {
		ReactiveCommitGuardListener commits = new ReactiveCommitGuardListener(terms);
		manager.addListener(commits);
		ProxyFactory proxy = new ProxyFactory(manager);
		proxy.addAdvice(commits);
		return (TransactionManager) proxy.getProxy(manager.getClass().getClassLoader());
	}

	@Override
	public @Nullable Object invoke(MethodInvocation invocation) throws Throwable {
		Object result = invocation.proceed();
		if (result instanceof Mono<?> step) {
			switch (invocation.getMethod().getName()) {
				case "getReactiveTransaction":
					return recordAtBegin(step);
				case "commit":
					return recordKept(invocation.getArguments()[0]).then(step);
				default:
			}
		}
		return result;
	}

	private Mono<?> recordKept(@Nullable Object transaction) {
		return RunningTransaction.current().doOnNext((running) -> record(transaction, running.kept()));
	}

	private <T> Mono<T> recordAtBegin(Mono<T> begin) {
		return Mono.deferContextual((context) -> {
			List<HeldLock> current = current(context);
			return begin.doOnNext((transaction) -> record(transaction, current));
		});
	}

	private static List<HeldLock> current(ContextView context) {
		return context.getOrEmpty(LockContext.CONTEXT_KEY)
			.map(ReactiveCommitGuardListener::cast)
			.orElseGet(LockContext::all);
	}

	@SuppressWarnings("unchecked")
	private static List<HeldLock> cast(Object value) {
		return (List<HeldLock>) value;
	}

	private void record(@Nullable Object candidate, List<HeldLock> more) {
		if (!more.isEmpty() && candidate instanceof ReactiveTransaction transaction && transaction.isNewTransaction()) {
			this.locks.merge(transaction, more, (first, then) -> {
				Set<HeldLock> all = new LinkedHashSet<>(first);
				all.addAll(then);
				return List.copyOf(all);
			});
		}
	}

	@Override
	public void beforeCommit(TransactionExecution transaction) {
		this.terms.verifyWithoutBlocking(this.locks.getOrDefault(transaction, List.of()));
	}

	@Override
	public void afterCommit(TransactionExecution transaction, @Nullable Throwable commitFailure) {
		this.locks.remove(transaction);
	}

	@Override
	public void afterRollback(TransactionExecution transaction, @Nullable Throwable rollbackFailure) {
		this.locks.remove(transaction);
	}

}
