package io.github.distlock.transaction;

import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import java.util.stream.Collectors;

import io.github.distlock.HeldLock;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

import org.springframework.core.Ordered;
import org.springframework.transaction.reactive.TransactionSynchronization;

/**
 * {@link HeldLockRelease} for the locks of a reactive call: they are given back without a
 * thread that waits for the answer.
 */
final class ReactiveHeldLockRelease implements TransactionSynchronization, Ordered, ReactiveTransactions.Keeper {

	private static final List<HeldLock> NONE = List.of();

	/**
	 * Empty until they are there; {@code null} when the transaction has completed. It may
	 * complete, since it was cancelled, in the moment in which the locks come: whoever
	 * changes this from empty first decides who gives them back.
	 */
	private final AtomicReference<@Nullable List<HeldLock>> locks = new AtomicReference<>(NONE);

	private final Function<List<HeldLock>, Mono<Void>> release;

	ReactiveHeldLockRelease(Function<List<HeldLock>, Mono<Void>> release) {
		this.release = release;
	}

	/** In the order in which they were taken. */
	List<HeldLock> locks() {
		List<HeldLock> kept = this.locks.get();
		return (kept != null) ? kept : NONE;
	}

	@Override
	public void keep(List<HeldLock> locks) {
		if (!this.locks.compareAndSet(NONE, List.copyOf(locks))) {
			throw new IllegalStateException("The transaction has completed before its locks were there");
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
			HeldLockRelease.warn(kept.stream().map(HeldLock::key).collect(Collectors.joining("', '")), status, problem);
			return Mono.empty();
		});
	}

}
