package io.github.distlock.transaction;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Collectors;

import io.github.distlock.HeldLock;
import io.github.distlock.transaction.TransactionBoundary.HeldLockRelease;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

import org.springframework.core.Ordered;
import org.springframework.transaction.NoTransactionException;
import org.springframework.transaction.reactive.TransactionSynchronization;
import org.springframework.transaction.reactive.TransactionSynchronizationManager;
import org.springframework.util.ClassUtils;

/**
 * An active reactive transaction: the counterpart of {@link TransactionBoundary} for
 * transactions in the Reactor context of a subscriber. It is used by one subscriber at a
 * time, like its connection. Requires reactor-core; there is none if spring-tx is not on
 * the class path.
 *
 * @param context Spring's synchronizations of the transaction
 */
public record RunningTransaction(TransactionSynchronizationManager context) {

	private static final boolean PRESENT = ClassUtils.isPresent(
			"org.springframework.transaction.reactive.TransactionSynchronizationManager",
			RunningTransaction.class.getClassLoader());

	/**
	 * Return the transaction of the subscriber. Does not block.
	 * @return the transaction, or nothing if there is no active transaction that supports
	 * synchronizations
	 */
	public static Mono<RunningTransaction> current() {
		return PRESENT ? TransactionSynchronizationManager.forCurrentTransaction()
			.onErrorComplete(NoTransactionException.class)
			.filter((context) -> context.isActualTransactionActive() && context.isSynchronizationActive())
			.map(RunningTransaction::new) : Mono.empty();
	}

	/**
	 * Return the locks that are kept for this transaction. Work of the transaction may
	 * enter them again although their methods have ended.
	 * @return the locks, last one first
	 */
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

	/**
	 * Register for locks that must be kept until this transaction has completed. Until
	 * then a {@link CommitGuard} checks them.
	 * @param release releases the locks when the transaction has completed; its result is
	 * awaited, its failure is logged
	 * @return takes the locks in the order of their acquisition; may be called once, by
	 * any thread. It throws an {@link IllegalStateException} if the transaction has
	 * already completed: the caller must release the locks then
	 */
	public Consumer<List<HeldLock>> keeper(Function<List<HeldLock>, Mono<Void>> release) {
		return ReactiveHeldLockRelease.register(this.context, release)::keep;
	}

	/**
	 * Closes the locks of a reactive call when the transaction has completed, like
	 * {@link HeldLockRelease}, but without a thread that waits for the answer.
	 */
	static final class ReactiveHeldLockRelease implements TransactionSynchronization, Ordered {

		private static final List<HeldLock> NONE = List.of();

		/**
		 * Empty until the locks are acquired, {@code null} after the transaction has
		 * completed. A cancelled transaction may complete at the moment when the locks
		 * arrive: the first change of the empty list decides which side releases them.
		 */
		private final AtomicReference<@Nullable List<HeldLock>> locks = new AtomicReference<>(NONE);

		private final Function<List<HeldLock>, Mono<Void>> release;

		private ReactiveHeldLockRelease(Function<List<HeldLock>, Mono<Void>> release) {
			this.release = release;
		}

		static ReactiveHeldLockRelease register(TransactionSynchronizationManager context,
				Function<List<HeldLock>, Mono<Void>> release) {
			ReactiveHeldLockRelease registered = new ReactiveHeldLockRelease(release);
			context.registerSynchronization(registered);
			return registered;
		}

		/** Return the locks in the order of their acquisition. */
		List<HeldLock> locks() {
			List<HeldLock> kept = this.locks.get();
			return (kept != null) ? kept : NONE;
		}

		void keep(List<HeldLock> locks) {
			if (!this.locks.compareAndSet(NONE, List.copyOf(locks))) {
				throw new IllegalStateException("The transaction has completed before its locks were acquired");
			}
		}

		@Override
		public int getOrder() {
			return Ordered.LOWEST_PRECEDENCE;
		}

		@Override
		public Mono<Void> afterCompletion(int status) {
			List<HeldLock> kept = this.locks.getAndSet(null);
			if (kept == null || kept.isEmpty()) {
				return Mono.empty();
			}
			return this.release.apply(kept).onErrorResume((problem) -> {
				HeldLockRelease.warn(kept.stream().map(HeldLock::key).collect(Collectors.joining("', '")), status,
						problem);
				return Mono.empty();
			});
		}

	}

}
