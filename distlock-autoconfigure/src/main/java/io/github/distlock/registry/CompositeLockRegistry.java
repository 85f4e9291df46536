package io.github.distlock.registry;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.Lock;

import io.github.distlock.HeldLock;
import io.github.distlock.LockNotAcquiredException;
import io.github.distlock.LockRegistry;
import io.github.distlock.LockRequest;
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

	private final CompositeLock.ViewLevels viewLevels = new CompositeLock.ViewLevels();

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
		return new CompositeLock(key, this.first.obtain(key), this.second.obtain(key), this.viewLevels, this.clock);
	}

	@Override
	public HeldLock acquire(LockRequest request) {
		SharedWait wait = share(request);
		HeldLock firstPart = this.first.acquire(request.waitTime(wait.total()));
		HeldLock secondPart;
		try {
			secondPart = this.second.acquire(request.waitTime(wait.remaining()));
		}
		catch (RuntimeException | Error ex) {
			abandon(firstPart, ex);
			throw ex;
		}
		if (!firstPart.isHeld()) {
			throw abandon(secondPart, abandon(firstPart, lostWhileWaiting(request)));
		}
		return new CompositeHeldLock(firstPart, secondPart);
	}

	@Override
	public Optional<HeldLock> tryAcquire(LockRequest request) {
		SharedWait wait = share(request);
		HeldLock firstPart = this.first.tryAcquire(request.waitTime(wait.total())).orElse(null);
		if (firstPart == null) {
			return Optional.empty();
		}
		HeldLock secondPart;
		try {
			secondPart = this.second.tryAcquire(request.waitTime(wait.remaining())).orElse(null);
		}
		catch (RuntimeException | Error ex) {
			abandon(firstPart, ex);
			throw ex;
		}
		if (secondPart != null && firstPart.isHeld()) {
			return Optional.of(new CompositeHeldLock(firstPart, secondPart));
		}
		LockNotAcquiredException reason = lostWhileWaiting(request);
		if (secondPart != null) {
			abandon(secondPart, reason);
		}
		abandon(firstPart, reason);
		return Optional.empty();
	}

	@Override
	public CompletableFuture<HeldLock> acquireAsync(LockRequest request) {
		return LockFutures.required(acquireAsync(request, true), () -> lostWhileWaiting(request));
	}

	@Override
	public CompletableFuture<Optional<HeldLock>> tryAcquireAsync(LockRequest request) {
		return LockFutures.optional(acquireAsync(request, false));
	}

	private CompletableFuture<@Nullable HeldLock> acquireAsync(LockRequest request, boolean required) {
		return new CompositeAsyncAcquisition(request, share(request), required).begin(this.first, this.second);
	}

	@Override
	public <T> T execute(LockRequest request, Callable<T> action) throws Exception {
		try (HeldLock lock = acquire(request)) {
			return ObservedWork.call(this.observers, NAME, request, lock, action);
		}
	}

	private SharedWait share(LockRequest request) {
		Duration requested = request.waitTime();
		return new SharedWait((requested != null) ? requested : this.waitTime, this.clock);
	}

	/**
	 * Release a lock under which no work was done. A failure is added to the reason as a
	 * suppressed exception.
	 */
	static <T extends Throwable> T abandon(HeldLock lock, T reason) {
		try {
			lock.abandon();
		}
		catch (RuntimeException | Error ex) {
			reason.addSuppressed(ex);
		}
		return reason;
	}

	static LockNotAcquiredException lostWhileWaiting(LockRequest request) {
		return new LockNotAcquiredException("Lock '" + request.key() + "' (" + request.label()
				+ ") was lost in the first of two registries during the wait for the second: use a shorter waitTime, or no"
				+ " leaseTime");
	}

	/**
	 * A wait time that two registries share. It begins with this object.
	 */
	static final class SharedWait {

		private final Duration total;

		private final TimeSource clock;

		private final long startNanos;

		SharedWait(Duration total, TimeSource clock) {
			this.total = total;
			this.clock = clock;
			this.startNanos = clock.nanoTime();
		}

		/**
		 * Return the wait time of the first registry. Zero tries once, negative waits
		 * without limit.
		 */
		Duration total() {
			return this.total;
		}

		/**
		 * Return the wait time of the second registry: the rest, but at least one
		 * attempt.
		 */
		Duration remaining() {
			if (this.total.isNegative()) {
				return this.total;
			}
			Duration rest = this.total.minusNanos(this.clock.nanoTime() - this.startNanos);
			return rest.isNegative() ? Duration.ZERO : rest;
		}

	}

}
