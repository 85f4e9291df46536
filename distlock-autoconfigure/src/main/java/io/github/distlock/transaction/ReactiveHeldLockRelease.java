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
 * Closes the locks of a reactive call when the transaction has completed, like
 * {@link HeldLockRelease}, but without a thread that waits for the answer.
 */
final class ReactiveHeldLockRelease implements TransactionSynchronization, Ordered {

	private static final List<HeldLock> NONE = List.of();

	/**
	 * Empty until the locks are acquired, {@code null} after the transaction has
	 * completed. A cancelled transaction may complete at the moment when the locks
	 * arrive: the first change of the empty list decides which side releases them.
	 */
	private final AtomicReference<@Nullable List<HeldLock>> locks = new AtomicReference<>(NONE);

	private final Function<List<HeldLock>, Mono<Void>> release;

	ReactiveHeldLockRelease(Function<List<HeldLock>, Mono<Void>> release) {
		this.release = release;
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
			HeldLockRelease.warn(kept.stream().map(HeldLock::key).collect(Collectors.joining("', '")), status, problem);
			return Mono.empty();
		});
	}

}
