package io.github.distlock.registry;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.stream.Stream;

import io.github.distlock.HeldLock;
import io.github.distlock.LockBackendException;
import io.github.distlock.LockContext;
import io.github.distlock.LockDefinitionException;
import io.github.distlock.LockNotAcquiredException;
import io.github.distlock.LockOutcome;
import io.github.distlock.LockRequest;
import io.github.distlock.backend.LockBackend;
import io.github.distlock.environment.EngineEnvironment;
import io.github.distlock.observation.LockObserver.ObservationScope;
import io.github.distlock.registry.Caller.Callers;
import io.github.distlock.registry.CompositeLockRegistry.CompositeHeldLock;
import io.github.distlock.engine.LeaseTerms;
import io.github.distlock.thread.LockThreads;
import io.github.distlock.engine.HeldLocks;
import io.github.distlock.engine.Hold;
import io.github.distlock.engine.KeyState;
import io.github.distlock.engine.KeyTable;
import io.github.distlock.engine.Waiter;
import io.github.distlock.engine.Waiter.FutureWaiter;
import io.github.distlock.engine.WaitOutcome;
import io.github.distlock.engine.Waiter.ThreadWaiter;
import org.jspecify.annotations.Nullable;

import org.springframework.util.Assert;

/**
 * Acquires locks: validates the request, re-enters a lock that is already held, or else
 * waits for a grant and adds the lock to {@link HeldLocks}. Reports how each attempt
 * ended. {@link #await} is the whole wait of a thread, an {@link AsyncAcquisition} that
 * of a future. Thread-safe.
 */
final class LockAcquirer {

	/** After an error on another thread a wake-up may be missing. */
	private static final long LONGEST_PARK_NANOS = Duration.ofSeconds(10).toNanos();

	private final RegistryRuntime runtime;

	private final KeyTable keys;

	private final HeldLocks heldLocks;

	private final EngineEnvironment environment;

	private final Callers callers;

	private final RequestTerms terms;

	private final HolderMessages holderMessages;

	LockAcquirer(RegistryRuntime runtime, LockBackend backend, RegistrySettings settings,
			EngineEnvironment environment) {
		this.runtime = runtime;
		this.keys = runtime.keys();
		this.environment = environment;
		this.callers = runtime.callers();
		this.heldLocks = runtime.heldLocks();
		this.holderMessages = new HolderMessages(runtime);
		this.terms = new RequestTerms(backend, settings);
	}

	RegistryRuntime runtime() {
		return this.runtime;
	}

	/**
	 * Acquire a lock on this thread.
	 * @return the lock, or {@code null} if the wait ended without it
	 */
	@Nullable HeldLock acquire(Caller caller) {
		try {
			Hold hold = acquireHold(caller, true, false);
			return (hold != null) ? new HoldReference(hold, caller.request().keyWithoutPrefix()) : null;
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			LockRequest request = caller.request();
			throw new LockNotAcquiredException("The thread was interrupted while it waited for lock '" + request.key()
					+ "' (" + request.label() + ")", ex);
		}
	}

	/**
	 * Acquire a lock on this thread.
	 * @param interruptible whether an interrupt ends the wait; otherwise the interrupt
	 * status is restored on return
	 * @param view whether a {@link LockView} asks: then the lock is lost when this thread
	 * dies
	 * @return the lock, or {@code null} if the wait ended without it
	 */
	@Nullable Hold acquireHold(Caller caller, boolean interruptible, boolean view) throws InterruptedException {
		try {
			LockRequest request = caller.request();
			this.terms.validate(request);
			if (interruptible && view && Thread.interrupted()) {
				// As Lock requires, even if this thread would not have to wait.
				throw new InterruptedException();
			}
			Hold held = this.heldLocks.holdOfThisThread(request.key());
			if (held != null && LockThreads.isEventLoop() && !holdsOf(LockContext.all()).toList().contains(held)) {
				// Such a thread serves other callers before the lock is released.
				held = null;
			}
			held = reenter(held, request, view);
			if (held == null && !view) {
				// A Lock view belongs to its thread and never re-enters the lock of
				// asynchronous work.
				held = reenter(holdOfThisWork(request.key()), request, false);
			}
			if (held != null) {
				return held;
			}
			if (LockThreads.isNonBlocking()) {
				throw blocking(request);
			}
			if (interruptible && Thread.interrupted()) {
				throw new InterruptedException("Interrupted before waiting for lock '" + request.key() + "'");
			}
			LeaseTerms lease = this.terms.lease(request);
			Hold granted;
			try (ObservationScope observed = caller.observe()) {
				granted = await(caller, lease, interruptible, view);
			}
			if (granted != null) {
				return begin(caller, granted);
			}
			caller.notAcquired();
			return null;
		}
		catch (InterruptedException | RuntimeException | Error ex) {
			caller.failed(ex);
			throw ex;
		}
	}

	private static LockDefinitionException blocking(LockRequest request) {
		return new LockDefinitionException("Lock '" + request.key() + "' (" + request.label()
				+ ") was requested by a call that blocks, on thread '" + Thread.currentThread().getName()
				+ "', which must not block: return Mono, Flux or CompletableFuture from the locked method, use"
				+ " acquireAsync, or move the call to another thread with subscribeOn(Schedulers.boundedElastic())");
	}

	/**
	 * Acquire a lock without a thread. Cancelling the future ends the wait.
	 * @return completes with the lock, or with {@link LockNotAcquiredException}
	 */
	CompletableFuture<HeldLock> acquireAsync(LockRequest request) {
		Caller caller = caller(request, null, LockOutcome.TIMEOUT);
		// The store is not asked: the callback threads must not block.
		return acquireAsync(caller, (lock) -> required(caller, lock));
	}

	/**
	 * Acquire a lock without a thread. Cancelling the future ends the wait.
	 * @param result what the future completes with if the lock was acquired, or with
	 * {@code null} if the wait ended without it
	 */
	<T> CompletableFuture<T> tryAcquireAsync(LockRequest request, Function<@Nullable HeldLock, T> result) {
		return acquireAsync(caller(request, null, LockOutcome.SKIPPED), result);
	}

	private <T> CompletableFuture<T> acquireAsync(Caller caller, Function<@Nullable HeldLock, T> result) {
		try {
			LockRequest request = caller.request();
			this.terms.validate(request);
			Hold held = reenter(holdOfThisWork(request.key()), request, false);
			if (held != null) {
				return CompletableFuture
					.completedFuture(result.apply(new HoldReference(held, request.keyWithoutPrefix())));
			}
			try (ObservationScope observed = caller.observe()) {
				return new AsyncAcquisition<>(this, caller, this.terms.lease(request), result).start();
			}
		}
		catch (RuntimeException | Error ex) {
			caller.failed(ex);
			return CompletableFuture.failedFuture(ex);
		}
	}

	/**
	 * Wait for a grant.
	 * @return the grant, or {@code null} if the wait has ended without the lock
	 */
	private @Nullable Hold await(Caller caller, LeaseTerms lease, boolean interruptible, boolean view)
			throws InterruptedException {
		LockRequest request = caller.request();
		long start = this.environment.clock().nanoTime();
		while (true) {
			ThreadWaiter waiter = new ThreadWaiter(this.heldLocks, request, lease, this.terms.waitTime(request),
					this.terms.maxWaiting(request), start, view, this.environment);
			park(caller, waiter, start, interruptible);
			Hold granted = grantOf(caller, waiter);
			if (granted != null || !restarts(waiter)) {
				return granted;
			}
		}
	}

	/**
	 * Wait until the outcome of a waiter is decided: the whole wait of a thread, parked.
	 * A thread that gives up returns when its ticket has left the store, or after one
	 * command time-out: until then other applications may be refused a lock that has no
	 * holder. An interrupt that does not end the wait is restored when the thread
	 * returns.
	 */
	private void park(Caller caller, ThreadWaiter waiter, long start, boolean interruptible)
			throws InterruptedException {
		boolean interrupted = false;
		KeyState state = this.keys.join(waiter, null);
		try {
			while (waiter.outcome() == null) {
				interrupted |= Thread.interrupted();
				long remaining = waiter.remainingNanos(this.environment.clock().nanoTime());
				if (interrupted && interruptible) {
					// Unless it was decided just before. Another interrupt is a new one:
					// it stays set.
					interrupted = !this.keys.giveUp(state, waiter, false);
				}
				else if (remaining <= 0) {
					this.keys.giveUp(state, waiter, true);
				}
				else if (!waiter.triesOnce() && !caller.isWaiting()) {
					if (LockThreads.isEventLoop()) {
						throw blocking(caller.request());
					}
					// A listener may park, and use up the wake-up: so look again.
					caller.waiting(start);
				}
				else {
					this.environment.park(this, Math.min(remaining, LONGEST_PARK_NANOS));
				}
			}
			long end = waiter.isDeparting() ? this.environment.clock().nanoTime() + this.keys.commandTimeoutNanos() : 0;
			long left;
			while (waiter.isDeparting() && (left = end - this.environment.clock().nanoTime()) > 0) {
				this.environment.park(this, left);
				interrupted |= Thread.interrupted();
			}
			if (waiter.outcome() instanceof WaitOutcome.GaveUp) {
				throw new InterruptedException("Interrupted while waiting for lock '" + caller.request().key() + "'");
			}
		}
		catch (RuntimeException | Error ex) {
			this.keys.waitFailed(state, waiter);
			throw ex;
		}
		finally {
			if (interrupted) {
				Thread.currentThread().interrupt();
			}
		}
	}

	/** Create a waiter without a thread. */
	FutureWaiter newWaiter(Caller caller, LeaseTerms lease, long start) {
		LockRequest request = caller.request();
		return new FutureWaiter(this.heldLocks, request, lease, this.terms.waitTime(request),
				this.terms.maxWaiting(request), start, this.keys.tasks()::callBack);
	}

	/**
	 * Return the grant of a wait that has ended, on its way to the caller.
	 * @return the grant; {@code null} if the wait has ended without the lock, or if its
	 * lease has expired since, because this process was paused
	 * @throws LockBackendException if the store has failed
	 */
	@Nullable Hold grantOf(Caller caller, Waiter waiter) {
		WaitOutcome outcome = waiter.outcome();
		if (outcome instanceof WaitOutcome.Failure failure) {
			throw failure.forCaller();
		}
		if (outcome instanceof WaitOutcome.Refused refused) {
			caller.refused(refused);
		}
		if (outcome instanceof Hold granted) {
			if (granted.isValid()) {
				return granted;
			}
			this.keys.releaseAsync(granted);
		}
		return null;
	}

	/**
	 * Return whether a caller whose grant has expired before it took it over waits again,
	 * for the rest of its wait time. One answer ends the wait of a caller that tries
	 * once, whatever it is.
	 */
	static boolean restarts(Waiter waiter) {
		return waiter.outcome() instanceof Hold && !waiter.triesOnce();
	}

	/**
	 * Create a caller.
	 * @param thread the thread that asks; {@code null} if a future waits
	 * @param timeoutOutcome the outcome to report if the wait time has passed
	 */
	Caller caller(LockRequest request, @Nullable Thread thread, LockOutcome timeoutOutcome) {
		Assert.notNull(request, RequestTerms.NO_REQUEST);
		return new Caller(this.callers, request, thread, timeoutOutcome);
	}

	/**
	 * Return a lock.
	 * @throws LockNotAcquiredException if the wait ended without it
	 */
	HeldLock required(Caller caller, @Nullable HeldLock lock) {
		if (lock == null) {
			throw notAcquired(caller);
		}
		return lock;
	}

	/** Return the exception for a wait that ended without the lock. */
	LockNotAcquiredException notAcquired(Caller caller) {
		return this.holderMessages.notAcquired(caller, this.terms);
	}

	/**
	 * Add a granted lock to the held ones. If that fails, the caller receives an
	 * exception and no lock to close, so the lock is released.
	 */
	Hold begin(Caller caller, Hold granted) {
		this.heldLocks.add(granted);
		try {
			caller.acquired(granted);
			return granted;
		}
		catch (RuntimeException | Error ex) {
			this.heldLocks.abandon(granted, granted.leaveLevel(false));
			throw ex;
		}
	}

	/**
	 * Return the lock of a key that the asynchronous work of the running code holds,
	 * according to {@link LockContext}. A lock of a thread is never returned.
	 */
	private @Nullable Hold holdOfThisWork(String key) {
		List<HeldLock> open = LockContext.all();
		return open.isEmpty() ? null : holdsOf(open)
			.filter((hold) -> hold.context() == this.heldLocks && hold.thread() == null && hold.key().equals(key))
			.findFirst()
			.orElse(null);
	}

	private static Stream<Hold> holdsOf(List<HeldLock> open) {
		return open.stream()
			.flatMap((lock) -> (lock instanceof CompositeHeldLock composite)
					? holdsOf(List.of(composite.first(), composite.second()))
					: (lock instanceof HoldReference reference) ? Stream.ofNullable(reference.openHold())
							: Stream.empty());
	}

	private @Nullable Hold reenter(@Nullable Hold held, LockRequest request, boolean view) {
		if (held == null) {
			return null;
		}
		// Not if another thread has closed it for this one: such a lock is acquired anew.
		if (!held.isOver() && !held.isValid() && held.lossCause() != null) {
			// Check the loss before the mode: a lost lock is held in none.
			throw HeldLocks.lostException(held);
		}
		if (!held.reenter(request.mode(), view)) {
			this.heldLocks.forgetOfThisThread(held);
			return null;
		}
		if (!held.isValid()) {
			held.leaveLevel(view);
			throw HeldLocks.lostException(held);
		}
		return held;
	}

}
