package io.github.distlock.transaction;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Function;

import io.github.distlock.HeldLock;
import reactor.core.publisher.Mono;

import org.springframework.transaction.NoTransactionException;
import org.springframework.transaction.reactive.TransactionSynchronizationManager;

/**
 * A reactive transaction of Spring. Loaded only if spring-tx and Reactor are on the class
 * path.
 *
 * @param context Spring's synchronizations of the transaction
 */
record SpringReactiveTransaction(TransactionSynchronizationManager context) implements ReactiveTransactions.Running {

	static Mono<ReactiveTransactions.Running> current() {
		return TransactionSynchronizationManager.forCurrentTransaction()
			.onErrorComplete(NoTransactionException.class)
			.filter((context) -> context.isActualTransactionActive() && context.isSynchronizationActive())
			.map(SpringReactiveTransaction::new);
	}

	@Override
	public List<HeldLock> kept() {
		List<HeldLock> kept = new ArrayList<>();
		this.context.getSynchronizations().forEach((synchronization) -> {
			if (synchronization instanceof ReactiveHeldLockRelease release) {
				kept.addAll(release.locks());
			}
		});
		Collections.reverse(kept);
		return kept;
	}

	@Override
	public Consumer<List<HeldLock>> keeper(Function<List<HeldLock>, Mono<Void>> release) {
		ReactiveHeldLockRelease keeper = new ReactiveHeldLockRelease(release);
		this.context.registerSynchronization(keeper);
		return keeper::keep;
	}

}
