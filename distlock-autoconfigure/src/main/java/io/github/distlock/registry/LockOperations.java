package io.github.distlock.registry;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

import io.github.distlock.HeldLock;
import io.github.distlock.LockContext;
import io.github.distlock.LockDefinitionException;
import io.github.distlock.LockNotAcquiredException;
import io.github.distlock.LockOutcome;
import io.github.distlock.LockRequest;
import io.github.distlock.backend.LockBackend;
import io.github.distlock.observation.LockObserver.ObservationScope;
import io.github.distlock.registry.CompositeLockRegistry.CompositeHeldLock;
import io.github.distlock.thread.LockThreads;
import io.github.distlock.waiting.Holder;
import org.jspecify.annotations.Nullable;

/**
 * Acquires locks: validates the request, re-enters a lock that is already held, or else
 * waits for a grant and adds the lock to {@link HeldLocks}. Reports how each attempt
 * ended. Thread-safe.
 */
final class LockOperations {

	private final RegistryRuntime runtime;

	private final HeldLocks heldLocks;

	private final RequestTerms terms;

	private final HolderMessages holderMessages;

	LockOperations(RegistryRuntime runtime, LockBackend backend, RegistrySettings settings) {
		this.runtime = runtime;
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
			return (hold != null) ? new HoldReference(hold) : null;
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			LockRequest request = caller.request();
			throw new LockNotAcquiredException("The thread was interrupted while it waited for lock '" + request.key()
					+ "' (" + request.label() + ")", ex);
		}
	}

	/**
	 * Acquire a lock for a {@link LockView}. The lock is lost when this thread dies.
	 * @return the lock, or {@code null} if the wait ended without it
	 */
	@Nullable Hold acquireForView(LockRequest request, boolean interruptible) throws InterruptedException {
		return acquireHold(caller(request, Thread.currentThread(), LockOutcome.TIMEOUT), interruptible, true);
	}

	private @Nullable Hold acquireHold(Caller caller, boolean interruptible, boolean view) throws InterruptedException {
		LockRequest request = caller.request();
		try {
			this.terms.validate(request);
			if (interruptible && view && Thread.interrupted()) {
				// As Lock requires, even if this thread would not have to wait.
				throw new InterruptedException();
			}
			Hold held = reenter(this.heldLocks.holdOfThisThread(request.key()), request);
			if (held == null && !view) {
				// A Lock view belongs to its thread and never re-enters the lock of
				// asynchronous work.
				held = reenter(holdOfThisWork(request.key()), request);
			}
			if (held != null) {
				return held;
			}
			if (LockThreads.isNonBlocking()) {
				throw new LockDefinitionException("Lock '" + request.key() + "' (" + request.label()
						+ ") was requested by a call that blocks, on thread '" + Thread.currentThread().getName()
						+ "', which must not block: return Mono, Flux or CompletableFuture from the locked method, use"
						+ " acquireAsync, or move the call to another thread with"
						+ " subscribeOn(Schedulers.boundedElastic())");
			}
			Holder holder;
			try (ObservationScope observed = caller.observe()) {
				holder = this.runtime.acquirer().acquire(this.terms.wait(request, caller), interruptible);
			}
			if (holder != null) {
				return begin(caller, holder, Thread.currentThread(), view);
			}
			caller.notAcquired();
			return null;
		}
		catch (InterruptedException | RuntimeException | Error ex) {
			caller.failed(ex);
			throw ex;
		}
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
		LockRequest request = caller.request();
		CompletableFuture<@Nullable Holder> granted;
		try {
			this.terms.validate(request);
			Hold held = reenter(holdOfThisWork(request.key()), request);
			if (held != null) {
				return CompletableFuture.completedFuture(result.apply(new HoldReference(held)));
			}
			try (ObservationScope observed = caller.observe()) {
				granted = this.runtime.acquirer().acquireAsync(this.terms.wait(request, caller));
			}
		}
		catch (RuntimeException | Error ex) {
			caller.failed(ex);
			return CompletableFuture.failedFuture(ex);
		}
		CompletableFuture<T> future = new CompletableFuture<>();
		granted.whenComplete((holder, failure) -> complete(future, caller, result, holder, failure));
		future.whenComplete((lock, failure) -> {
			if (future.isCancelled()) {
				granted.cancel(false);
			}
		});
		return future;
	}

	private <T> void complete(CompletableFuture<T> future, Caller caller, Function<@Nullable HeldLock, T> result,
			@Nullable Holder holder, @Nullable Throwable failure) {
		try {
			if (failure != null) {
				caller.failed(failure);
				future.completeExceptionally(failure);
			}
			else if (holder == null) {
				caller.notAcquired();
				future.complete(result.apply(null));
			}
			else {
				HeldLock lock = new HoldReference(begin(caller, holder, null, false));
				if (!future.complete(result.apply(lock))) {
					// The caller cancelled at the moment of the grant.
					lock.abandon();
				}
			}
		}
		catch (RuntimeException | Error ex) {
			caller.failed(ex);
			future.completeExceptionally(ex);
		}
	}

	/**
	 * Create a caller.
	 * @param thread the thread that asks; {@code null} if a future waits
	 * @param timeoutOutcome the outcome to report if the wait time has passed
	 */
	Caller caller(LockRequest request, @Nullable Thread thread, LockOutcome timeoutOutcome) {
		return new Caller(this.runtime.callers(), request, thread, timeoutOutcome);
	}

	/**
	 * Return a lock.
	 * @throws LockNotAcquiredException if the wait ended without it
	 */
	HeldLock required(Caller caller, @Nullable HeldLock lock) {
		if (lock == null) {
			throw this.holderMessages.notAcquired(caller, this.terms.wait(caller.request(), caller));
		}
		return lock;
	}

	/**
	 * Add a granted lock to the held ones. If that fails, the caller receives an
	 * exception and no lock to close, so the lock is released.
	 */
	private Hold begin(Caller caller, Holder holder, @Nullable Thread thread, boolean view) {
		LockRequest request = caller.request();
		Hold hold = this.heldLocks.add(request, holder, this.terms.lease(request), thread, view);
		try {
			caller.acquired(holder);
			return hold;
		}
		catch (RuntimeException | Error ex) {
			this.heldLocks.abandon(hold);
			throw ex;
		}
	}

	/**
	 * Return the lock of a key that the asynchronous work of the running code holds,
	 * according to {@link LockContext}. A lock of a thread is never returned.
	 */
	private @Nullable Hold holdOfThisWork(String key) {
		List<HeldLock> open = LockContext.all();
		return open.isEmpty() ? null : holdOfWork(open, key);
	}

	private @Nullable Hold holdOfWork(List<HeldLock> open, String key) {
		for (HeldLock lock : open) {
			Hold hold = null;
			if (lock instanceof CompositeHeldLock composite) {
				hold = holdOfWork(List.of(composite.first(), composite.second()), key);
			}
			else if (lock instanceof HoldReference reference) {
				hold = reference.openHold();
			}
			if (hold != null && hold.heldLocks() == this.heldLocks && hold.thread() == null && hold.key().equals(key)) {
				return hold;
			}
		}
		return null;
	}

	private @Nullable Hold reenter(@Nullable Hold held, LockRequest request) {
		if (held == null) {
			return null;
		}
		// Not if another thread has closed it for this one: such a lock is acquired anew.
		if (!held.isOver() && !held.isValid() && held.lossCause() != null) {
			// Check the loss before the mode: a lost lock is held in none.
			throw HeldLocks.lostException(held);
		}
		if (!held.reenter(request.mode())) {
			this.heldLocks.forgetOfThisThread(held);
			return null;
		}
		if (!held.isValid()) {
			held.leaveLevel();
			throw HeldLocks.lostException(held);
		}
		return held;
	}

}
