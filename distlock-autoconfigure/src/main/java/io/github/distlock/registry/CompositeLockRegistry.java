package io.github.distlock.registry;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.Lock;

import io.github.distlock.HeldLock;
import io.github.distlock.LockContext;
import io.github.distlock.LockNotAcquiredException;
import io.github.distlock.LockRegistry;
import io.github.distlock.LockRequest;
import io.github.distlock.backend.TimeSource;
import org.jspecify.annotations.Nullable;

/**
 * A {@link LockRegistry} over two others: each lock is taken in both, in order, all or
 * nothing, for those who want a second record of who holds it. The lock is held while it
 * is held in both; lost in one, it is lost.
 * <p>
 * The wait time is shared: the second registry gets what the first one left of it. Lease
 * times count from the grant of each, so {@code remaining()} is what the first to end has
 * left. The fencing token is that of the first registry; tokens of different registries
 * are not comparable. Locks are released in reverse order. What the two tell their
 * listeners, they tell each for itself.
 * <p>
 * Two composites of the same registries in opposite order can wait for each other until
 * their wait times have passed: use one order everywhere.
 */
public final class CompositeLockRegistry implements LockRegistry {

	private final LockRegistry first;

	private final LockRegistry second;

	private final Duration waitTime;

	private final TimeSource clock;

	private final CompositeLock.ViewLevels viewLevels = new CompositeLock.ViewLevels();

	/**
	 * Create a registry. It is neither started nor shut down: its members are.
	 * @param first where locks are taken first
	 * @param second where locks are taken then
	 * @param waitTime wait time of requests that say none
	 * @param clock the time
	 */
	public CompositeLockRegistry(LockRegistry first, LockRegistry second, Duration waitTime, TimeSource clock) {
		this.first = first;
		this.second = second;
		this.waitTime = waitTime;
		this.clock = clock;
	}

	/**
	 * Return both registries.
	 * @return the registries, in the order in which locks are taken
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
			LockContext.Scope scope = LockContext.open(lock);
			try {
				return action.call();
			}
			finally {
				scope.close();
			}
		}
	}

	private SharedWait share(LockRequest request) {
		Duration requested = request.waitTime();
		return new SharedWait((requested != null) ? requested : this.waitTime, this.clock);
	}

	/** Nothing was done under it: what its release says is worth a note and no more. */
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
				+ ") was lost in the first of two registries while it waited for the second: wait for a shorter time, or"
				+ " leave leaseTime out");
	}

	/**
	 * A wait time that two registries share, from now on.
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

		/** For the first: zero tries once, negative waits for ever. */
		Duration total() {
			return this.total;
		}

		/** For the second: what is left, at least one attempt. */
		Duration remaining() {
			if (this.total.isNegative()) {
				return this.total;
			}
			Duration rest = this.total.minusNanos(this.clock.nanoTime() - this.startNanos);
			return rest.isNegative() ? Duration.ZERO : rest;
		}

	}

}
