package io.github.distlock.transaction;

import java.util.List;
import java.util.function.Consumer;
import java.util.function.Function;

import io.github.distlock.HeldLock;
import reactor.core.publisher.Mono;

import org.springframework.util.ClassUtils;

/**
 * Finds active reactive transactions: the counterpart of {@link TransactionBoundary} for
 * transactions in the Reactor context of a subscriber. Finds none if spring-tx is not on
 * the class path. Requires reactor-core. Thread-safe.
 */
@FunctionalInterface
public interface ReactiveTransactions {

	/**
	 * Create an instance for Spring's transactions, if they are on the class path.
	 * @return the instance
	 */
	static ReactiveTransactions create() {
		return ClassUtils.isPresent("org.springframework.transaction.reactive.TransactionSynchronizationManager",
				ReactiveTransactions.class.getClassLoader()) ? SpringReactiveTransaction::current : Mono::empty;
	}

	/**
	 * Return the transaction of the subscriber. Does not block.
	 * @return the transaction, or nothing if there is no active transaction that supports
	 * synchronizations
	 */
	Mono<Running> current();

	/**
	 * An active transaction. It is used by one subscriber at a time, like its connection.
	 */
	interface Running {

		/**
		 * Return the locks that are kept for this transaction. Work of the transaction
		 * may enter them again although their methods have ended.
		 * @return the locks, last one first
		 */
		List<HeldLock> kept();

		/**
		 * Register for locks that must be kept until this transaction has completed.
		 * Until then a {@link CommitGuard} checks them.
		 * @param release releases the locks when the transaction has completed; its
		 * result is awaited, its failure is logged
		 * @return takes the locks in the order of their acquisition; may be called once,
		 * by any thread. It throws an {@link IllegalStateException} if the transaction
		 * has already completed: the caller must release the locks then
		 */
		Consumer<List<HeldLock>> keeper(Function<List<HeldLock>, Mono<Void>> release);

	}

}
