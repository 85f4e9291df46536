package io.github.distlock.registry;

import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.locks.Lock;
import java.util.function.BiFunction;
import java.util.function.Function;

import io.github.distlock.HeldLock;
import io.github.distlock.LockNotAcquiredException;
import io.github.distlock.LockRegistry;
import io.github.distlock.LockRequest;
import io.github.distlock.backend.StoreCalls;
import io.github.distlock.backend.TimeSource;
import io.github.distlock.observation.LockObservers;
import org.jspecify.annotations.Nullable;

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

	@Override
	public Lock obtain(String key) {
		return new CompositeLock(this.first.obtain(key), this.second.obtain(key), this.clock);
	}

	@Override
	public HeldLock acquire(LockRequest request) {
		return acquireOnThread(request, (registry, part) -> Optional.of(registry.acquire(part)))
			.orElseThrow(() -> lostWhileWaiting(request));
	}

	@Override
	public Optional<HeldLock> tryAcquire(LockRequest request) {
		return acquireOnThread(request, LockRegistry::tryAcquire);
	}

	@Override
	public CompletableFuture<HeldLock> acquireAsync(LockRequest request) {
		return LockFutures.required(acquireWithoutThread(request, LockRegistry::acquireAsync, Optional::of),
				() -> lostWhileWaiting(request));
	}

	@Override
	public CompletableFuture<Optional<HeldLock>> tryAcquireAsync(LockRequest request) {
		return LockFutures.optional(acquireWithoutThread(request, LockRegistry::tryAcquireAsync, Function.identity()));
	}

	@Override
	public <T> T execute(LockRequest request, Callable<T> action) throws Exception {
		try (HeldLock lock = acquire(request)) {
			return ObservedWork.call(this.observers, NAME, request, lock, action);
		}
	}

	/** The attempts block, so the future is complete when they return. */
	private Optional<HeldLock> acquireOnThread(LockRequest request,
			BiFunction<LockRegistry, LockRequest, Optional<HeldLock>> method) {
		try {
			return acquireBoth(request,
					(registry, part) -> CompletableFuture.completedFuture(method.apply(registry, part)))
				.getNow(Optional.empty());
		}
		catch (CompletionException ex) {
			Throwable cause = StoreCalls.unwrap(ex);
			if (cause instanceof Error error) {
				throw error;
			}
			throw (RuntimeException) cause;
		}
	}

	/**
	 * Cancelling the future ends the wait.
	 * @return completes with {@code null} if the lock was not acquired
	 */
	private <T> CompletableFuture<@Nullable HeldLock> acquireWithoutThread(LockRequest request,
			BiFunction<LockRegistry, LockRequest, CompletableFuture<T>> method, Function<T, Optional<HeldLock>> lock) {
		CompletableFuture<@Nullable HeldLock> result = new CompletableFuture<>();
		acquireBoth(request,
				(registry, part) -> LockFutures.cancelWith(result, method.apply(registry, part)).thenApply(lock))
			.whenComplete((both, failure) -> {
				if (failure != null) {
					result.completeExceptionally(StoreCalls.unwrap(failure));
				}
				else if (!result.complete(both.orElse(null))) {
					// The caller cancelled at the moment of the grant.
					both.ifPresent(HeldLock::abandon);
				}
			});
		return result;
	}

	/**
	 * Acquire the lock in both registries, or in none.
	 * @param attempt one attempt in one registry, which may block
	 */
	private CompletableFuture<Optional<HeldLock>> acquireBoth(LockRequest request,
			BiFunction<LockRegistry, LockRequest, CompletableFuture<Optional<HeldLock>>> attempt) {
		Duration total = Objects.requireNonNullElse(request.waitTime(), this.waitTime);
		long start = this.clock.nanoTime();
		CompletableFuture<Optional<HeldLock>> first = attempt.apply(this.first, request.waitTime(total));
		return first.thenCompose(
				(part) -> part.isPresent() ? attempt.apply(this.second, request.waitTime(rest(total, start))) : first)
			.whenComplete((part, failure) -> {
				if (failure != null || part.isEmpty()) {
					// Complete by now. A failed release does not change the outcome.
					first.thenAccept((acquired) -> acquired.ifPresent(HeldLock::abandon));
				}
			})
			.thenApply((part) -> part.flatMap((second) -> combine(first.getNow(part).orElseThrow(), second)));
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
	private static Optional<HeldLock> combine(HeldLock first, HeldLock second) {
		HeldLock both = new CompositeHeldLock(first, second);
		if (first.isHeld()) {
			return Optional.of(both);
		}
		CompositeHeldLock.releaseUnused(both::abandon);
		return Optional.empty();
	}

	private static LockNotAcquiredException lostWhileWaiting(LockRequest request) {
		return new LockNotAcquiredException("Lock '" + request.key() + "' (" + request.label()
				+ ") was lost in the first of two registries during the wait for the second: use a shorter waitTime, or no"
				+ " leaseTime");
	}

}
