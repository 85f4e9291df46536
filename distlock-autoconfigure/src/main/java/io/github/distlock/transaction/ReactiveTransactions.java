package io.github.distlock.transaction;

import java.util.List;
import java.util.function.Function;

import io.github.distlock.HeldLock;
import reactor.core.publisher.Mono;

import org.springframework.util.ClassUtils;

/**
 * Where reactive transactions are found: {@link TransactionBoundary} for those that
 * travel in the context of a subscriber. Finds none when spring-tx is not on the class
 * path. Needs reactor-core. Thread-safe.
 */
@FunctionalInterface
public interface ReactiveTransactions {

	/**
	 * Return a way to find the transactions of Spring, if there can be any.
	 * @return where to look
	 */
	static ReactiveTransactions create() {
		return ClassUtils.isPresent("org.springframework.transaction.reactive.TransactionSynchronizationManager",
				ReactiveTransactions.class.getClassLoader()) ? SpringReactiveTransaction::current : Mono::empty;
	}

	/**
	 * Return the transaction inside of which the subscriber works. Does not block.
	 * @return the transaction, or nothing if none runs that can say when it has completed
	 */
	Mono<Running> current();

	/**
	 * A transaction that runs. It is used by one subscriber at a time, like its
	 * connection.
	 */
	interface Running {

		/**
		 * Return the locks that are kept for this transaction: its work may enter them
		 * again although their methods have ended.
		 * @return the locks, the last one first
		 */
		List<HeldLock> kept();

		/**
		 * Make room for locks that are to be kept until this transaction has completed.
		 * @param release gives the locks back, when the transaction has completed; its
		 * result is awaited, its failure logged
		 * @return takes the locks when they are there
		 */
		Keeper keeper(Function<List<HeldLock>, Mono<Void>> release);

	}

	/**
	 * Where the locks of one call are kept.
	 */
	interface Keeper {

		/**
		 * Keep locks until the transaction has completed. Until then they are among those
		 * that a {@link CommitGuard} asks. Any thread may call this, once.
		 * @param locks in the order in which they were taken
		 * @throws IllegalStateException if the transaction has completed meanwhile; then
		 * nobody else gives the locks back
		 */
		void keep(List<HeldLock> locks);

	}

}
