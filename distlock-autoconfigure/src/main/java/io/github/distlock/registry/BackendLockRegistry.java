package io.github.distlock.registry;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.Lock;

import io.github.distlock.HeldLock;
import io.github.distlock.LockListener;
import io.github.distlock.LockRegistry;
import io.github.distlock.LockRequest;
import io.github.distlock.backend.LockBackend;
import io.github.distlock.backend.TimeSource;

/**
 * A {@link LockRegistry} over one store.
 */
public final class BackendLockRegistry implements LockRegistry {

	/**
	 * Create a registry; it works after {@link #start()}.
	 * @param backend the store
	 * @param settings defaults and limits
	 * @param listeners who is told what happens
	 * @param clock the time
	 */
	public BackendLockRegistry(LockBackend backend, RegistrySettings settings, List<LockListener> listeners,
			TimeSource clock) {
	}

	/**
	 * Begin to work. Does not fail when the store cannot be reached.
	 */
	public void start() {
	}

	/**
	 * Refuse new acquisitions, fail waiting ones, wait for held ones within the grace
	 * period, release what is left. Blocks for the grace period at most.
	 */
	public void shutdown() {
	}

	@Override
	public Lock obtain(String key) {
		throw new UnsupportedOperationException();
	}

	@Override
	public HeldLock acquire(LockRequest request) {
		throw new UnsupportedOperationException();
	}

	@Override
	public Optional<HeldLock> tryAcquire(LockRequest request) {
		throw new UnsupportedOperationException();
	}

	@Override
	public CompletableFuture<HeldLock> acquireAsync(LockRequest request) {
		throw new UnsupportedOperationException();
	}

	@Override
	public <T> T execute(LockRequest request, Callable<T> action) throws Exception {
		throw new UnsupportedOperationException();
	}

}
