package io.github.distlock.registry;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;
import java.util.function.Function;

import io.github.distlock.HeldLock;
import io.github.distlock.LockKeyPrefix;
import io.github.distlock.LockRegistry;
import io.github.distlock.LockRequest;
import io.github.distlock.RunResult;
import io.github.distlock.backend.LockKeys;
import io.github.distlock.registry.CompositeLockRegistry.LockAttempt;
import io.github.distlock.thread.LockThreads;
import org.jspecify.annotations.Nullable;

/**
 * Puts the {@link LockKeyPrefix} of the application before the key of each lock, unless
 * the request has it, and acquires the lock in another registry. Each prefix is computed
 * by the thread that asks, before it does anything else.
 */
public final class PrefixedLockRegistry implements LockRegistry {

	private final LockRegistry registry;

	private final LockKeyPrefix prefix;

	/**
	 * The keys with their prefixes that each thread has locked through views, by the keys
	 * without. The prefix may have changed when a view is unlocked, or cannot be computed
	 * any more.
	 */
	private final ThreadLocal<Map<String, Deque<String>>> locked = ThreadLocal.withInitial(HashMap::new);

	/**
	 * Create a registry.
	 * @param registry acquires the locks
	 * @param prefix computes the prefixes
	 */
	public PrefixedLockRegistry(LockRegistry registry, LockKeyPrefix prefix) {
		this.registry = registry;
		this.prefix = prefix;
	}

	/**
	 * Return what acquires the locks.
	 * @return the registry, which puts no prefix before a key
	 */
	public LockRegistry registry() {
		return this.registry;
	}

	/**
	 * Put the prefixes before the keys of another registry.
	 * @param registry acquires the locks
	 * @return the same with that registry
	 */
	public PrefixedLockRegistry over(LockRegistry registry) {
		return new PrefixedLockRegistry(registry, this.prefix);
	}

	/** Shut down the registry of a store, which Spring finds by this method. */
	public void shutdown() {
		if (this.registry instanceof BackendLockRegistry backend) {
			backend.shutdown();
		}
	}

	@Override
	public Lock obtain(String key) {
		LockKeys.validate(key);
		return new PrefixedLock(this, key);
	}

	@Override
	public HeldLock acquire(LockRequest request) {
		return this.registry.acquire(prefixed(request));
	}

	@Override
	public Optional<HeldLock> tryAcquire(LockRequest request) {
		return this.registry.tryAcquire(prefixed(request));
	}

	@Override
	public CompletableFuture<HeldLock> acquireAsync(LockRequest request) {
		return async(request, this.registry::acquireAsync);
	}

	@Override
	public CompletableFuture<Optional<HeldLock>> tryAcquireAsync(LockRequest request) {
		return async(request, this.registry::tryAcquireAsync);
	}

	private <T> CompletableFuture<T> async(LockRequest request,
			Function<LockRequest, CompletableFuture<T>> acquisition) {
		LockRequest prefixed;
		try {
			prefixed = prefixed(request);
		}
		catch (RuntimeException | Error ex) {
			return CompletableFuture.failedFuture(ex);
		}
		return acquisition.apply(prefixed);
	}

	@Override
	public <T> T execute(LockRequest request, Callable<T> action) throws Exception {
		return this.registry.execute(prefixed(request), action);
	}

	@Override
	public <T extends @Nullable Object> RunResult<T> tryRun(LockRequest request, Callable<T> action) throws Exception {
		return this.registry.tryRun(prefixed(request), action);
	}

	private LockRequest prefixed(LockRequest request) {
		// A blank key stays refused.
		return request.key().isBlank() ? request : request.prefixed(this.prefix);
	}

	/** The lock of a key, with the prefix that applies when it is locked. */
	private record PrefixedLock(PrefixedLockRegistry registry, String key) implements Lock {

		@Override
		public void lock() {
			acquire((lock) -> {
				lock.lock();
				return true;
			});
		}

		@Override
		public void lockInterruptibly() throws InterruptedException {
			this.<InterruptedException>acquire((lock) -> {
				lock.lockInterruptibly();
				return true;
			});
		}

		@Override
		public boolean tryLock() {
			return acquire(Lock::tryLock);
		}

		@Override
		public boolean tryLock(long time, TimeUnit unit) throws InterruptedException {
			return this.<InterruptedException>acquire((lock) -> lock.tryLock(time, unit));
		}

		private <X extends Exception> boolean acquire(LockAttempt<X> attempt) throws X {
			String whole = wholeKey();
			// First: if there is no memory, no lock stays behind that cannot be unlocked.
			this.registry.locked.get().computeIfAbsent(this.key, (key) -> new ArrayDeque<>()).push(whole);
			boolean acquired = false;
			try {
				acquired = attempt.acquire(view(whole));
				return acquired;
			}
			finally {
				if (!acquired) {
					remove(whole);
				}
			}
		}

		/** The prefix is computed only to decide between several. */
		@Override
		public void unlock() {
			Deque<String> locked = this.registry.locked.get().getOrDefault(this.key, new ArrayDeque<>());
			String whole = (new LinkedHashSet<>(locked).size() > 1) ? wholeKey() : locked.peek();
			if (whole == null || !locked.contains(whole)) {
				throw new IllegalMonitorStateException(
						"Thread '" + LockThreads.describe(Thread.currentThread()) + "' does not hold lock '"
								+ ((whole != null) ? whole : this.key) + "': call unlock() only after lock()");
			}
			try {
				view(whole).unlock();
			}
			finally {
				remove(whole);
			}
		}

		private void remove(String whole) {
			Map<String, Deque<String>> all = this.registry.locked.get();
			all.computeIfPresent(this.key, (key, locked) -> {
				locked.removeFirstOccurrence(whole);
				return locked.isEmpty() ? null : locked;
			});
		}

		@Override
		public Condition newCondition() {
			return view(this.key).newCondition();
		}

		private String wholeKey() {
			return this.registry.prefixed(LockRequest.of(this.key)).key();
		}

		private Lock view(String whole) {
			return this.registry.registry.obtain(whole);
		}

		@Override
		public String toString() {
			return "Lock[" + this.key + "]";
		}

	}

}
