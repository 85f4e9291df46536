package io.github.distlock.registry;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

import io.github.distlock.HeldLock;
import io.github.distlock.LockNotAcquiredException;
import io.github.distlock.LockRegistry;
import io.github.distlock.LockRequest;
import org.jspecify.annotations.Nullable;

/**
 * One asynchronous acquisition of a lock in two registries: of both parts or of none.
 */
final class CompositeAsyncAcquisition {

	private final LockRequest request;

	private final CompositeLockRegistry.SharedWait wait;

	/** Whether it is an error if the lock is not acquired. */
	private final boolean required;

	private final CompletableFuture<@Nullable HeldLock> result = new CompletableFuture<>();

	CompositeAsyncAcquisition(LockRequest request, CompositeLockRegistry.SharedWait wait, boolean required) {
		this.request = request;
		this.wait = wait;
		this.required = required;
	}

	/**
	 * Acquire the lock. Cancelling the future ends the wait.
	 * @return completes with the lock, or with {@code null} if it was not acquired and is
	 * not required
	 */
	CompletableFuture<@Nullable HeldLock> begin(LockRegistry first, LockRegistry second) {
		acquire(first, this.wait.total()).whenComplete((part, failure) -> {
			if (failure != null) {
				this.result.completeExceptionally(cause(failure));
			}
			else if (part == null) {
				this.result.complete(null);
			}
			else {
				acquireSecond(part, second);
			}
		});
		return this.result;
	}

	private void acquireSecond(HeldLock firstPart, LockRegistry second) {
		CompletableFuture<@Nullable HeldLock> secondAnswer;
		try {
			secondAnswer = acquire(second, this.wait.remaining());
		}
		catch (RuntimeException | Error ex) {
			secondAnswer = CompletableFuture.failedFuture(ex);
		}
		secondAnswer.whenComplete((secondPart, failure) -> {
			if (failure != null) {
				this.result.completeExceptionally(CompositeLockRegistry.abandon(firstPart, cause(failure)));
			}
			else if (secondPart == null) {
				CompositeLockRegistry.abandon(firstPart, CompositeLockRegistry.lostWhileWaiting(this.request));
				this.result.complete(null);
			}
			else {
				combine(firstPart, secondPart);
			}
		});
	}

	private void combine(HeldLock firstPart, HeldLock secondPart) {
		if (!firstPart.isHeld()) {
			LockNotAcquiredException reason = CompositeLockRegistry.abandon(secondPart,
					CompositeLockRegistry.abandon(firstPart, CompositeLockRegistry.lostWhileWaiting(this.request)));
			if (this.required) {
				this.result.completeExceptionally(reason);
			}
			else {
				this.result.complete(null);
			}
			return;
		}
		CompositeHeldLock both = new CompositeHeldLock(firstPart, secondPart);
		if (!this.result.complete(both)) {
			// The caller cancelled at the moment of the grant and never closes the lock.
			both.abandon();
		}
	}

	private CompletableFuture<@Nullable HeldLock> acquire(LockRegistry registry, Duration waitTime) {
		LockRequest part = this.request.waitTime(waitTime);
		if (this.required) {
			CompletableFuture<HeldLock> answer = registry.acquireAsync(part);
			LockFutures.cancelWith(this.result, answer);
			return answer.thenApply((lock) -> lock);
		}
		CompletableFuture<Optional<HeldLock>> answer = registry.tryAcquireAsync(part);
		LockFutures.cancelWith(this.result, answer);
		return answer.thenApply((lock) -> lock.orElse(null));
	}

	private static Throwable cause(Throwable failure) {
		return (failure instanceof CompletionException && failure.getCause() != null) ? failure.getCause() : failure;
	}

}
