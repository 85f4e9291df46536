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
	 * Acquire the lock on this thread. Blocks. If the call is skipped without the lock,
	 * no exception is needed for the case that it is not free.
	 * @param request the request with the remaining wait time
	 * @return the lock, or {@code null} if the call is skipped
	 */
	@Nullable HeldLock acquire(LockRequest request) {
		if (this.definition.failurePolicy() instanceof SkipPolicy) {
			return answer(this.registry.tryAcquire(request)).orElse(null);
		}
		return answer(this.registry.acquire(request));
	}

	/**
	 * Acquire the lock without a waiting thread.
	 * @param request the request with the remaining wait time
	 */
	Acquisition<?> acquireAsync(LockRequest request) {
		if (this.definition.failurePolicy() instanceof SkipPolicy) {
			return new Acquisition<>(answer(this.registry.tryAcquireAsync(request)),
					(acquired) -> answer(acquired).orElse(null));
		}
		return new Acquisition<>(answer(this.registry.acquireAsync(request)), (acquired) -> answer(acquired));
	}

	/**
	 * Refuse {@code null}, which the contract of a registry does not allow. It never
	 * means that a call is skipped: the method would silently not run.
	 */
	private <T> T answer(@Nullable T answer) {
		if (answer == null) {
			throw new IllegalStateException(this.registry.getClass().getName() + " returned null for lock '"
					+ this.request.key() + "' (" + this.request.label() + "), which a LockRegistry must not do. If "
					+ "this is a mock in a test, remove it and use @DistlockTest or @AutoConfigureTestLocks, whose "
					+ "TestLocks decide which locks the code gets");
		}
		return answer;
	}

	/**
	 * An asynchronous acquisition.
	 *
	 * @param answer the future of the registry; cancelling it ends the wait
	 * @param lock returns the lock in an answer, {@code null} if the call is skipped
	 */
	record Acquisition<T>(CompletableFuture<T> answer, Function<@Nullable T, @Nullable HeldLock> lock) {
	}

}
