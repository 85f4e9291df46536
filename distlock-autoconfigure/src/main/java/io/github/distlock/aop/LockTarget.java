package io.github.distlock.aop;

import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

import io.github.distlock.HeldLock;
import io.github.distlock.LockRegistry;
import io.github.distlock.LockRequest;
import org.jspecify.annotations.Nullable;

/**
 * One lock that a call needs.
 *
 * @param definition the definition of the lock
 * @param registry the registry of the lock
 * @param request the request for the registry
 */
record LockTarget(LockDefinition definition, LockRegistry registry, LockRequest request) {

	/**
	 * Whether the call is skipped without the lock. Then the lock is acquired without an
	 * exception for the case that it is not free.
	 */
	boolean isSkipped() {
		return this.definition.failurePolicy().isSkip();
	}

	/**
	 * Acquire the lock on this thread. Blocks.
	 * @param request the request with the remaining wait time
	 * @return the lock, or {@code null} if the call is skipped
	 * @throws IllegalStateException if the registry breaks its contract
	 */
	@Nullable HeldLock acquire(LockRequest request) {
		if (isSkipped()) {
			return RegistryAnswer.check(this.registry.tryAcquire(request), this.registry, "tryAcquire", request)
				.orElse(null);
		}
		return RegistryAnswer.check(this.registry.acquire(request), this.registry, "acquire", request);
	}

	/**
	 * Acquire the lock without a waiting thread.
	 * @param request the request with the remaining wait time
	 * @return completes with the lock, or with {@code null} if the call is skipped
	 * @throws IllegalStateException if the registry breaks its contract
	 */
	Acquisition<?> acquireAsync(LockRequest request) {
		if (isSkipped()) {
			return new Acquisition<>(
					RegistryAnswer.check(this.registry.tryAcquireAsync(request), this.registry, "tryAcquireAsync",
							request),
					(answer) -> RegistryAnswer.check(answer, this.registry, "tryAcquireAsync", request).orElse(null));
		}
		return new Acquisition<>(
				RegistryAnswer.check(this.registry.acquireAsync(request), this.registry, "acquireAsync", request),
				(answer) -> RegistryAnswer.check(answer, this.registry, "acquireAsync", request));
	}

	/**
	 * An asynchronous acquisition.
	 *
	 * @param answer the future of the registry; cancelling it ends the wait
	 * @param lock returns the lock in an answer, {@code null} if there is none
	 */
	record Acquisition<T>(CompletableFuture<T> answer, Function<@Nullable T, @Nullable HeldLock> lock) {
	}

}
