package io.github.distlock.registry;

import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.stream.Stream;

import io.github.distlock.HeldLock;
import io.github.distlock.LockDefinitionException;
import io.github.distlock.LockLostException;
import io.github.distlock.LockNotAcquiredException;
import io.github.distlock.LockRegistry;
import io.github.distlock.LockRequest;
import io.github.distlock.LossCause;
import io.github.distlock.backend.ControlledLock;
import io.github.distlock.backend.StoreCalls;
import io.github.distlock.backend.TimeSource;
import io.github.distlock.observation.LockObservers;
import io.github.distlock.observation.LockedWork;
import org.jspecify.annotations.Nullable;

import org.springframework.util.Assert;

/**
 * A {@link LockRegistry} over two others. Each lock is acquired in both of them, in
 * order, or in none, so that a second store records who holds it. The lock is held while
 * it is held in both; it is lost when one of them loses it.
 * <p>
 * The wait time is shared: the second registry gets what the first one left of it. Lease
 * times count from the grant of each, and {@code remaining()} is the shorter remaining
 * time. The fencing token is that of the first registry; tokens of different registries
 * are not comparable. Locks are released in reverse order. Each registry notifies its own
 * listeners.
 * <p>
 * Two composites of the same registries in opposite order can wait for each other until
 * their wait times have passed: use the same order everywhere.
 */
public final class CompositeLockRegistry implements LockRegistry {

	/** What observations of the work under both locks have as the name of the store. */
	private static final String NAME = "composite";

	private final LockRegistry first;

	private final LockRegistry second;

	private final Duration waitTime;

	private final TimeSource clock;

	private final LockObservers observers;

	/**
	 * Create a registry. Its members are started and shut down separately.
	 * @param first the registry in which locks are acquired first
	 * @param second the registry in which locks are acquired next
	 * @param waitTime the wait time of requests without one
	 * @param clock the time source
	 */
	public CompositeLockRegistry(LockRegistry first, LockRegistry second, Duration waitTime, TimeSource clock) {
		this(first, second, waitTime, clock, LockObservers.NONE);
	}

	/**
	 * Create a registry under whose locks work is observed. Its members observe their own
	 * acquisitions.
	 * @param first the registry in which locks are acquired first
	 * @param second the registry in which locks are acquired next
	 * @param waitTime the wait time of requests without one
	 * @param clock the time source
	 * @param observers finds the observer
	 */
	public CompositeLockRegistry(LockRegistry first, LockRegistry second, Duration waitTime, TimeSource clock,
			LockObservers observers) {
		this.first = first;
		this.second = second;
		this.waitTime = waitTime;
		this.clock = clock;
		this.observers = observers;
	}

	/**
	 * Return both registries.
	 * @return the registries, in the order in which locks are acquired
	 */
	public List<LockRegistry> members() {
		return List.of(this.first, this.second);
	}

	/**
	 * Refuse what no composite supports, whatever its members do. Of the stores that a
	 * composite can have, only one counts permits in all JVMs.
	 * @param request the request
	 * @throws LockDefinitionException if the request has permits
	 */
	public static void validate(LockRequest request) {
		Assert.notNull(request, RequestTerms.NO_REQUEST);
		if (request.permits() != null) {
			throw new LockDefinitionException("Lock '" + request.key() + "' was requested with permits, but a composite"
					+ " of two registries does not support that: use the store 'redis' or 'local', or leave permits out");
		}
	}

	@Override
	public Lock obtain(String key) {
		return new CompositeLock(this.first.obtain(key), this.second.obtain(key), this.clock);
	}

	@Override
	public HeldLock acquire(LockRequest request) {
		return acquireBoth(request, (registry, part) -> Optional.of(registry.acquire(part)))
			.orElseThrow(() -> lostWhileWaiting(request));
	}

	@Override
	public Optional<HeldLock> tryAcquire(LockRequest request) {
		return acquireBoth(request, LockRegistry::tryAcquire);
	}

	@Override
	public CompletableFuture<HeldLock> acquireAsync(LockRequest request) {
		return acquireBothAsync(request, LockRegistry::acquireAsync, Optional::of,
				(both) -> both.orElseThrow(() -> lostWhileWaiting(request)));
	}

	@Override
	public CompletableFuture<Optional<HeldLock>> tryAcquireAsync(LockRequest request) {
		return acquireBothAsync(request, LockRegistry::tryAcquireAsync, Function.identity(), Function.identity());
	}

	@Override
	public <T> T execute(LockRequest request, Callable<T> action) throws Exception {
		Assert.notNull(action, RequestTerms.NO_ACTION);
		return LockedWork.run(acquire(request), this.observers, NAME, request.mode(), action);
	}

	/** Acquire the lock in both registries, or in none. */
	private Optional<HeldLock> acquireBoth(LockRequest request,
			BiFunction<LockRegistry, LockRequest, Optional<HeldLock>> attempt) {
		validate(request);
		Duration total = Objects.requireNonNullElse(request.waitTime(), this.waitTime);
		long start = this.clock.nanoTime();
		HeldLock first = attempt.apply(this.first, request.waitTime(total)).orElse(null);
		if (first == null) {
			return Optional.empty();
		}
		Optional<HeldLock> both = Optional.empty();
		try {
			both = combine(first, attempt.apply(this.second, request.waitTime(rest(total, start))));
			return both;
		}
		finally {
			if (both.isEmpty()) {
				CompositeHeldLock.releaseUnused(() -> ControlledLock.abandon(first));
			}
		}
	}

	/**
	 * Acquire the lock in both registries, or in none. Cancelling the future ends the
	 * wait.
	 * @param attempt one attempt in one registry
	 * @param acquired the lock that an attempt has acquired
	 * @param result what the future completes with
	 */
	private <S, T> CompletableFuture<T> acquireBothAsync(LockRequest request,
			BiFunction<LockRegistry, LockRequest, CompletableFuture<S>> attempt,
			Function<S, Optional<HeldLock>> acquired, Function<Optional<HeldLock>, T> result) {
		try {
			validate(request);
		}
		catch (RuntimeException ex) {
			return CompletableFuture.failedFuture(ex);
		}
		Duration total = Objects.requireNonNullElse(request.waitTime(), this.waitTime);
		long start = this.clock.nanoTime();
		CompletableFuture<T> future = new CompletableFuture<>();
		CompletableFuture<S> firstAttempt = attempt.apply(this.first, request.waitTime(total));
		cancelWith(future, firstAttempt);
		firstAttempt.thenApply(acquired).thenCompose((first) -> {
			if (first.isEmpty()) {
				return CompletableFuture.completedFuture(first);
			}
			CompletableFuture<S> secondAttempt = attempt.apply(this.second, request.waitTime(rest(total, start)));
			cancelWith(future, secondAttempt);
			return secondAttempt.thenApply((second) -> combine(first.get(), acquired.apply(second)));
		}).whenComplete((both, failure) -> {
			if (failure != null || both.isEmpty()) {
				// Complete by now. A failed release does not change the outcome.
				firstAttempt.thenAccept((first) -> acquired.apply(first).ifPresent(ControlledLock::abandon));
			}
		}).thenAccept((both) -> {
			if (!future.complete(result.apply(both))) {
				// The caller cancelled at the moment of the grant.
				both.ifPresent(ControlledLock::abandon);
			}
		}).exceptionally((failure) -> {
			future.completeExceptionally(StoreCalls.unwrap(failure));
			return null;
		});
		return future;
	}

	/** Cancel an attempt if the application cancels or completes the result. */
	private static void cancelWith(CompletableFuture<?> result, CompletableFuture<?> attempt) {
		result.whenComplete((value, failure) -> attempt.cancel(false));
	}

	/** Return what is left of a wait time. Zero tries once, negative has no limit. */
	private Duration rest(Duration total, long startNanos) {
		if (total.isNegative()) {
			return total;
		}
		Duration rest = total.minusNanos(this.clock.nanoTime() - startNanos);
		return rest.isNegative() ? Duration.ZERO : rest;
	}

	/** Return no lock if the first part was lost during the wait for the second. */
	private static Optional<HeldLock> combine(HeldLock first, Optional<HeldLock> second) {
		if (first.isHeld()) {
			return second.map((part) -> new CompositeHeldLock(first, part));
		}
		second.ifPresent((part) -> CompositeHeldLock.releaseUnused(() -> ControlledLock.abandon(part)));
		return Optional.empty();
	}

	private static LockNotAcquiredException lostWhileWaiting(LockRequest request) {
		return new LockNotAcquiredException("Lock '" + request.key() + "' (" + request.label()
				+ ") was lost in the first of two registries during the wait for the second: use a shorter waitTime, or no"
				+ " leaseTime");
	}

	/**
	 * A lock that is held in two registries, as its caller sees it. A part that is not
	 * held is never held again, so the parts know whether both are held.
	 *
	 * @param first the part in the first registry
	 * @param second the part in the second registry
	 */
	record CompositeHeldLock(HeldLock first, HeldLock second) implements ControlledLock {

		@Override
		public String key() {
			return this.first.key();
		}

		@Override
		public String name() {
			return this.first.name();
		}

		@Override
		public long fencingToken() {
			return this.first.fencingToken();
		}

		@Override
		public boolean isHeld() {
			return this.first.isHeld() && this.second.isHeld();
		}

		@Override
		public boolean isSessionBound() {
			return ControlledLock.isSessionBound(this.first) && ControlledLock.isSessionBound(this.second);
		}

		/** That of the first member that other JVMs share. */
		@Override
		public @Nullable FencedGrant fencedGrant() {
			FencedGrant grant = ControlledLock.fencedGrant(this.first);
			return (grant != null) ? grant : ControlledLock.fencedGrant(this.second);
		}

		@Override
		public boolean confirmHeld() {
			return this.first.confirmHeld() && this.second.confirmHeld();
		}

		@Override
		public Duration remaining() {
			return Collections.min(List.of(this.first.remaining(), this.second.remaining()));
		}

		/**
		 * While one part is being released the other may still be held. Whether both are
		 * held must be read first: read last, a loss in between would look like a
		 * release.
		 */
		@Override
		public boolean isReleased() {
			return !isHeld()
					&& Stream.of(this.first, this.second).allMatch((part) -> part.isHeld() || part.isReleased());
		}

		@Override
		public @Nullable LossCause lossCause() {
			LossCause ofFirst = this.first.lossCause();
			return (ofFirst != null) ? ofFirst : this.second.lossCause();
		}

		@Override
		public void onLost(Runnable callback) {
			AtomicBoolean called = new AtomicBoolean();
			Runnable once = () -> {
				if (called.compareAndSet(false, true)) {
					callback.run();
				}
			};
			this.first.onLost(once);
			this.second.onLost(once);
		}

		@Override
		public void expireAfter(Duration leaseTime) {
			ControlledLock.expireAfter(this.first, leaseTime);
			ControlledLock.expireAfter(this.second, leaseTime);
		}

		@Override
		public void close() {
			releaseBoth(this.first::close, this.second::close);
		}

		/** The second part is sent first, and neither waits for the other. */
		@Override
		public CompletableFuture<Void> closeAsync() {
			return CompletableFuture.allOf(this.second.closeAsync(), this.first.closeAsync());
		}

		@Override
		public void abandon() {
			releaseBoth(() -> ControlledLock.abandon(this.first), () -> ControlledLock.abandon(this.second));
		}

		/** Release two parts in reverse order, the first one even if the second fails. */
		static void releaseBoth(PartRelease first, PartRelease second) {
			try (first; second) {
				// The end of the block releases them.
			}
		}

		/** Release a part under which no work was done: its loss concerns no caller. */
		static void releaseUnused(PartRelease part) {
			try {
				part.close();
			}
			catch (LockLostException ex) {
				// The registry has reported it.
			}
		}

		/** A way to release one part. */
		interface PartRelease extends AutoCloseable {

			@Override
			void close();

		}

	}

	/**
	 * The locks of one key in two registries as one {@link Lock}. It keeps no levels of
	 * its own: an additional unlock is refused by the members, if they are not held
	 * either.
	 *
	 * @param first the lock in the first registry
	 * @param second the lock in the second registry
	 * @param clock the time source
	 */
	record CompositeLock(Lock first, Lock second, TimeSource clock) implements Lock {

		@Override
		public void lock() {
			acquire((part) -> {
				part.lock();
				return true;
			});
		}

		@Override
		public void lockInterruptibly() throws InterruptedException {
			acquire((part) -> {
				part.lockInterruptibly();
				return true;
			});
		}

		@Override
		public boolean tryLock() {
			return acquire(Lock::tryLock);
		}

		@Override
		public boolean tryLock(long time, TimeUnit unit) throws InterruptedException {
			long nanos = unit.toNanos(Math.max(time, 0));
			long start = this.clock.nanoTime();
			return acquire((part) -> part.tryLock(nanos - (this.clock.nanoTime() - start), TimeUnit.NANOSECONDS));
		}

		/** Acquire both locks, or none. */
		private <X extends Exception> boolean acquire(LockAttempt<X> acquisition) throws X {
			if (!acquisition.acquire(this.first)) {
				return false;
			}
			boolean acquired = false;
			try {
				acquired = acquisition.acquire(this.second);
			}
			finally {
				if (!acquired) {
					CompositeHeldLock.releaseUnused(this.first::unlock);
				}
			}
			return acquired;
		}

		@Override
		public void unlock() {
			CompositeHeldLock.releaseBoth(this.first::unlock, this.second::unlock);
		}

		@Override
		public Condition newCondition() {
			throw new UnsupportedOperationException(
					"A distributed lock has no conditions: release it, and look again later");
		}

	}

	/** A way to acquire a lock. */
	interface LockAttempt<X extends Exception> {

		boolean acquire(Lock lock) throws X;

	}

}
