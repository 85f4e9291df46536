package io.github.distlock.registry;

import java.util.Optional;
import java.util.concurrent.CompletableFuture;

import io.github.distlock.HeldLock;
import io.github.distlock.LockNotAcquiredException;
import io.github.distlock.LockOutcome;
import io.github.distlock.LockRegistry;
import io.github.distlock.LockRequest;
import org.jspecify.annotations.Nullable;

/**
 * What an asynchronous caller is told: the lock or an exception, or perhaps a lock.
 *
 * @param <T> what its future completes with
 */
interface AsyncAnswer<T> {

	/** For those to whom the lack of the lock is an error. */
	AsyncAnswer<HeldLock> ACQUIRED = new AsyncAnswer<>() {

		@Override
		public LockOutcome late() {
			return LockOutcome.TIMEOUT;
		}

		@Override
		public CompletableFuture<HeldLock> ask(LockRegistry registry, LockRequest request) {
			return registry.acquireAsync(request);
		}

		@Override
		public HeldLock with(HeldLock lock) {
			return lock;
		}

		@Override
		public void without(CompletableFuture<HeldLock> result, LockNotAcquiredException reason) {
			result.completeExceptionally(reason);
		}

		@Override
		public HeldLock lock(HeldLock answer) {
			return answer;
		}

	};

	/** For those who go on without it. */
	AsyncAnswer<Optional<HeldLock>> PERHAPS = new AsyncAnswer<>() {

		@Override
		public LockOutcome late() {
			return LockOutcome.SKIPPED;
		}

		@Override
		public CompletableFuture<Optional<HeldLock>> ask(LockRegistry registry, LockRequest request) {
			return registry.tryAcquireAsync(request);
		}

		@Override
		public Optional<HeldLock> with(HeldLock lock) {
			return Optional.of(lock);
		}

		@Override
		public void without(CompletableFuture<Optional<HeldLock>> result, LockNotAcquiredException reason) {
			result.complete(Optional.empty());
		}

		@Override
		public @Nullable HeldLock lock(Optional<HeldLock> answer) {
			return answer.orElse(null);
		}

	};

	/** What it means when the wait time has passed. */
	LockOutcome late();

	/** Ask another registry for an answer of this kind. */
	CompletableFuture<T> ask(LockRegistry registry, LockRequest request);

	/** The answer of those who have the lock. */
	T with(HeldLock lock);

	/** Give the answer of those who do not. */
	void without(CompletableFuture<T> result, LockNotAcquiredException reason);

	/** The lock in an answer, if there is one. */
	@Nullable HeldLock lock(T answer);

}
