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
 * @param definition the annotation that asks for it
 * @param registry where it is kept
 * @param request what to ask the registry for
 */
record LockTarget(LockDefinition definition, LockRegistry registry, LockRequest request) {

	/**
	 * Whether the call is skipped without it: then listeners are told so, and no
	 * exception is made.
	 */
	boolean isSkipped() {
		return this.definition.failurePolicy().isSkip();
	}

	/**
	 * Acquire the lock on this thread.
	 * @param waiting the request with the remaining wait time
	 * @return the lock, or {@code null} if the call is skipped
	 * @throws IllegalStateException if the registry breaks its contract
	 */
	@Nullable HeldLock acquire(LockRequest waiting) {
		if (isSkipped()) {
			return RegistryAnswer.check(this.registry.tryAcquire(waiting), this.registry, "tryAcquire", waiting)
				.orElse(null);
		}
		return RegistryAnswer.check(this.registry.acquire(waiting), this.registry, "acquire", waiting);
	}

	/**
	 * Acquire the lock without a thread that waits.
	 * @param waiting the request with the remaining wait time
	 * @return completes with the lock, or with {@code null} if the call is skipped
	 * @throws IllegalStateException if the registry breaks its contract
	 */
	Acquisition<?> acquireAsync(LockRequest waiting) {
		if (isSkipped()) {
			return new Acquisition<>(
					RegistryAnswer.check(this.registry.tryAcquireAsync(waiting), this.registry, "tryAcquireAsync",
							waiting),
					(answer) -> RegistryAnswer.check(answer, this.registry, "tryAcquireAsync", waiting).orElse(null));
		}
		return new Acquisition<>(
				RegistryAnswer.check(this.registry.acquireAsync(waiting), this.registry, "acquireAsync", waiting),
				(answer) -> RegistryAnswer.check(answer, this.registry, "acquireAsync", waiting));
	}

	/**
	 * An asynchronous acquisition.
	 *
	 * @param answer what the registry completes; to be cancelled to give up the wait
	 * @param lock the lock that an answer stands for, {@code null} if there is none
	 */
	record Acquisition<T>(CompletableFuture<T> answer, Function<@Nullable T, @Nullable HeldLock> lock) {
	}

}
