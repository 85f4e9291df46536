package io.github.distlock.aop;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.locks.Lock;
import java.util.function.Consumer;
import java.util.function.Supplier;

import io.github.distlock.HeldLock;
import io.github.distlock.LockLostException;
import io.github.distlock.LockNotAcquiredException;
import io.github.distlock.LockRegistry;
import io.github.distlock.LockRequest;
import io.github.distlock.backend.ControlledLock;
import org.jspecify.annotations.Nullable;

/**
 * A registry that never waits and records what happens.
 */
class InMemoryLocks implements LockRegistry {

	/** The events in their order; tests add their own. */
	final List<String> events = new CopyOnWriteArrayList<>();

	final List<LockRequest> requests = new ArrayList<>();

	/** Keys of locks under which nothing was done. */
	final List<String> abandoned = new ArrayList<>();

	/** Keys that another caller holds. */
	final Set<String> taken = new HashSet<>();

	/** The exception of acquisitions. */
	@Nullable RuntimeException failure;

	/** Runs when a lock is requested. */
	Consumer<String> onRequest = (key) -> {
	};

	/** Runs when a lock is released, before the release is recorded. */
	Runnable onRelease = () -> {
	};

	/** The exception of releases. */
	@Nullable RuntimeException releaseFailure;

	final List<Held> held = new ArrayList<>();

	@Override
	public HeldLock acquire(LockRequest request) {
		return tryAcquire(request).orElseThrow(() -> new LockNotAcquiredException("'" + request.key() + "' is taken"));
	}

	@Override
	public Optional<HeldLock> tryAcquire(LockRequest request) {
		this.requests.add(request);
		this.onRequest.accept(request.key());
		if (this.failure != null) {
			throw this.failure;
		}
		if (this.taken.contains(request.key())) {
			return Optional.empty();
		}
		this.events.add("acquire " + request.key());
		Held lock = new Held(request.key());
		this.held.add(lock);
		return Optional.of(lock);
	}

	/** Return the keys that were requested, in their order. */
	String[] keys() {
		return this.requests.stream().map(LockRequest::key).toArray(String[]::new);
	}

	/** Record the work of a method. */
	String run() {
		this.events.add("run");
		return "done";
	}

	void loseAll() {
		this.held.forEach((lock) -> lock.lost = true);
	}

	@Override
	public Lock obtain(String key) {
		throw new UnsupportedOperationException();
	}

	@Override
	public CompletableFuture<HeldLock> acquireAsync(LockRequest request) {
		return future(() -> acquire(request));
	}

	@Override
	public CompletableFuture<Optional<HeldLock>> tryAcquireAsync(LockRequest request) {
		return future(() -> tryAcquire(request));
	}

	private static <T> CompletableFuture<T> future(Supplier<T> answer) {
		try {
			return CompletableFuture.completedFuture(answer.get());
		}
		catch (RuntimeException ex) {
			return CompletableFuture.failedFuture(ex);
		}
	}

	@Override
	public <T> T execute(LockRequest request, Callable<T> action) {
		throw new UnsupportedOperationException();
	}

	final class Held implements ControlledLock {

		private final String key;

		private boolean lost;

		private boolean closed;

		Held(String key) {
			this.key = key;
		}

		@Override
		public String key() {
			return this.key;
		}

		@Override
		public long fencingToken() {
			return 1;
		}

		@Override
		public boolean isHeld() {
			return !this.lost && !this.closed;
		}

		@Override
		public Duration remaining() {
			return isHeld() ? Duration.ofSeconds(1) : Duration.ZERO;
		}

		@Override
		public void onLost(Runnable callback) {
			throw new UnsupportedOperationException();
		}

		@Override
		public void expireAfter(Duration leaseTime) {
			InMemoryLocks.this.events.add("expire " + this.key + " " + leaseTime);
		}

		@Override
		public void abandon() {
			InMemoryLocks.this.abandoned.add(this.key);
			close();
		}

		@Override
		public void close() {
			if (this.closed) {
				throw new IllegalMonitorStateException("'" + this.key + "' was closed before");
			}
			this.closed = true;
			InMemoryLocks.this.onRelease.run();
			InMemoryLocks.this.events.add("release " + this.key);
			if (InMemoryLocks.this.releaseFailure != null) {
				throw InMemoryLocks.this.releaseFailure;
			}
			if (this.lost) {
				throw new LockLostException("'" + this.key + "' was lost");
			}
		}

	}

}
