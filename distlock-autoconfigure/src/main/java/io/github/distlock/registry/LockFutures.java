package io.github.distlock.registry;

import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.function.Supplier;

import io.github.distlock.HeldLock;
import io.github.distlock.LockNotAcquiredException;
import org.jspecify.annotations.Nullable;

/**
 * Converts between the futures of {@link io.github.distlock.LockRegistry} and the one
 * that this package works with: a future of the lock, or of {@code null} if the lock was
 * not acquired. Cancelling the converted future cancels its source. If it is cancelled
 * while the lock is granted, the lock is released.
 */
final class LockFutures {

	private LockFutures() {
	}

	/** Fail with an exception if the lock was not acquired. */
	static CompletableFuture<HeldLock> required(CompletableFuture<@Nullable HeldLock> source,
			Supplier<LockNotAcquiredException> notAcquired) {
		return convert(source, (lock) -> {
			if (lock == null) {
				throw notAcquired.get();
			}
			return lock;
		});
	}

	/** Complete with an empty value if the lock was not acquired. */
	static CompletableFuture<Optional<HeldLock>> optional(CompletableFuture<@Nullable HeldLock> source) {
		return convert(source, Optional::ofNullable);
	}

	private static <T> CompletableFuture<T> convert(CompletableFuture<@Nullable HeldLock> source,
			Function<@Nullable HeldLock, T> conversion) {
		CompletableFuture<T> result = new CompletableFuture<>();
		source.whenComplete((lock, failure) -> {
			try {
				if (failure != null) {
					result.completeExceptionally(failure);
				}
				else if (!result.complete(conversion.apply(lock)) && lock != null) {
					lock.abandon();
				}
			}
			catch (LockNotAcquiredException ex) {
				result.completeExceptionally(ex);
			}
		});
		cancelWith(result, source);
		return result;
	}

	/**
	 * Cancel a future if the caller cancels the result.
	 * @return the future
	 */
	static <T extends @Nullable Object> CompletableFuture<T> cancelWith(
			CompletableFuture<? extends @Nullable Object> result, CompletableFuture<T> source) {
		result.whenComplete((value, failure) -> {
			if (result.isCancelled()) {
				source.cancel(false);
			}
		});
		return source;
	}

}
