package io.github.distlock.benchmarks.annotation;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.Lock;

import io.github.distlock.HeldLock;
import io.github.distlock.LockRegistry;
import io.github.distlock.LockRequest;

/**
 * A registry that locks nothing, so that what is left is the cost of the annotation.
 */
final class SilentRegistry implements LockRegistry {

	@Override
	public Lock obtain(String key) {
		throw new UnsupportedOperationException();
	}

	@Override
	public HeldLock acquire(LockRequest request) {
		return new Silence(request.key());
	}

	@Override
	public Optional<HeldLock> tryAcquire(LockRequest request) {
		return Optional.of(acquire(request));
	}

	@Override
	public CompletableFuture<HeldLock> acquireAsync(LockRequest request) {
		return CompletableFuture.completedFuture(acquire(request));
	}

	@Override
	public CompletableFuture<Optional<HeldLock>> tryAcquireAsync(LockRequest request) {
		return CompletableFuture.completedFuture(tryAcquire(request));
	}

	@Override
	public <T> T execute(LockRequest request, Callable<T> action) throws Exception {
		return action.call();
	}

	private record Silence(String key) implements HeldLock {

		@Override
		public long fencingToken() {
			return 1;
		}

		@Override
		public boolean isHeld() {
			return true;
		}

		@Override
		public Duration remaining() {
			return Duration.ofSeconds(30);
		}

		@Override
		public void onLost(Runnable callback) {
			// Never lost.
		}

		@Override
		public void close() {
			// Nothing was locked.
		}

	}

}
