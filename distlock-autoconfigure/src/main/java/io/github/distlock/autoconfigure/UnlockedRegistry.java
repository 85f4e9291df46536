package io.github.distlock.autoconfigure;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.Lock;
import java.util.function.Function;

import io.github.distlock.HeldLock;
import io.github.distlock.LockRegistry;
import io.github.distlock.LockRequest;
import io.github.distlock.backend.ControlledLock;
import io.github.distlock.observation.LockObservers;
import io.github.distlock.observation.LockedWork;

/**
 * Registry for {@code distlock.enabled=false}: grants every lock at once and excludes no
 * other caller. Fencing tokens rise with the clock, like those of the stores, so that a
 * resource which checks them keeps working before and after the switch.
 */
final class UnlockedRegistry implements LockRegistry {

	private final Function<String, Lock> locks;

	private final AtomicLong lastToken = new AtomicLong();

	/**
	 * Create a registry.
	 * @param locks returns the locks of {@link #obtain}
	 */
	UnlockedRegistry(Function<String, Lock> locks) {
		this.locks = locks;
	}

	@Override
	public Lock obtain(String key) {
		return this.locks.apply(key);
	}

	@Override
	public HeldLock acquire(LockRequest request) {
		long now = TimeUnit.MILLISECONDS.toMicros(System.currentTimeMillis());
		return new UnlockedHeldLock(request.key(), request.label(),
				this.lastToken.updateAndGet((last) -> Math.max(last + 1, now)));
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
		return LockedWork.run(acquire(request), LockObservers.NONE, "none", request.mode(), action);
	}

	/** A lock that exists in no store and therefore cannot be lost. */
	private record UnlockedHeldLock(String key, String name, long fencingToken) implements ControlledLock {

		@Override
		public boolean isHeld() {
			return true;
		}

		@Override
		public Duration remaining() {
			return Duration.ofNanos(Long.MAX_VALUE);
		}

		@Override
		public void onLost(Runnable callback) {
		}

		@Override
		public void expireAfter(Duration leaseTime) {
		}

		@Override
		public void close() {
		}

	}

}
