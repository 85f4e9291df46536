package io.github.distlock.registry;

import java.util.Objects;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;

import io.github.distlock.HeldLock;
import io.github.distlock.LockNotAcquiredException;
import io.github.distlock.LockOutcome;
import io.github.distlock.LockRequest;
import io.github.distlock.backend.LockBackend;
import io.github.distlock.backend.TimeSource;
import io.github.distlock.observation.LockObserver.ObservationScope;
import io.github.distlock.observation.LockObservers;
import io.github.distlock.waiting.Holder;
import io.github.distlock.waiting.WaitListener;
import io.github.distlock.waiting.WaitRequest;
import org.jspecify.annotations.Nullable;

/**
 * Acquires locks: validates the request, re-enters a lock that is already held, or else
 * waits for a grant and adds the lock to {@link HeldLocks}. Reports to the listeners how
 * each attempt ended. Thread-safe.
 */
final class LockOperations {

	private final RegistryRuntime runtime;

	private final RegistrySettings settings;

	private final RequestTerms terms;

	private final RequestValidator validator;

	private final AttemptReport.Targets reports;

	private final HolderMessages holderMessages;

	LockOperations(RegistryRuntime runtime, LockBackend backend, RegistrySettings settings,
			CompositeLockListener listeners, TimeSource clock, LockObservers observers) {
		this.runtime = runtime;
		this.settings = settings;
		this.reports = new AttemptReport.Targets(backend.description().name(), listeners, observers,
				runtime.waitingCallers(), clock);
		this.holderMessages = new HolderMessages(runtime);
		this.terms = new RequestTerms(settings, backend.description().keeps());
		this.validator = new RequestValidator(backend, settings, this.terms);
	}

	RegistryRuntime runtime() {
		return this.runtime;
	}

	/**
	 * Acquire a lock on this thread.
	 * @param timeoutOutcome the outcome to report if the wait time has passed
	 * @return the lock, or {@code null} if the wait time has passed
	 */
	@Nullable HeldLock acquire(LockRequest request, boolean interruptible, LockOutcome timeoutOutcome)
			throws InterruptedException {
		Hold hold = acquireHold(request, interruptible, timeoutOutcome, null);
		return (hold != null) ? new HoldReference(hold) : null;
	}

	/**
	 * Acquire a lock on this thread.
	 * @return the lock
	 * @throws LockNotAcquiredException if the wait time has passed
	 */
	HeldLock acquireOrFail(LockRequest request) throws InterruptedException {
		AttemptReport report = newReport(request, false);
		Hold hold = acquireHold(request, true, LockOutcome.TIMEOUT, null, report);
		if (hold == null) {
			throw this.holderMessages.notAcquired(request, waitRequest(request, report), report);
		}
		return new HoldReference(hold);
	}

	private AttemptReport newReport(LockRequest request, boolean asynchronous) {
		return new AttemptReport(this.reports, request, asynchronous);
	}

	/**
	 * Acquire a lock on this thread, without a reference to it.
	 * @param owningThread the thread with whose death the lock is lost, if any
	 */
	@Nullable Hold acquireHold(LockRequest request, boolean interruptible, LockOutcome timeoutOutcome,
			@Nullable Thread owningThread) throws InterruptedException {
		return acquireHold(request, interruptible, timeoutOutcome, owningThread, newReport(request, false));
	}

	private @Nullable Hold acquireHold(LockRequest request, boolean interruptible, LockOutcome timeoutOutcome,
			@Nullable Thread owningThread, AttemptReport report) throws InterruptedException {
		try {
			this.validator.validate(request);
			if (interruptible && owningThread != null && Thread.interrupted()) {
				// As Lock requires, even if this thread would not have to wait.
				throw new InterruptedException();
			}
			Hold held = reenter(request);
			if (held == null && owningThread == null) {
				// A Lock view belongs to its thread and never re-enters the lock of
				// asynchronous work.
				held = reenterLockOfWork(request);
			}
			if (held != null) {
				return held;
			}
			Holder holder;
			try (ObservationScope observed = report.observe()) {
				holder = this.runtime.acquirer().acquire(waitRequest(request, report), interruptible);
			}
			if (holder == null) {
				report.ended(timeoutOutcome, null);
				return null;
			}
			Hold hold = addOrRelease(request, holder, owningThread, Thread.currentThread());
			try {
				report.acquired(holder);
			}
			catch (RuntimeException | Error ex) {
				// The caller receives an exception and no lock to close.
				hold.owner().abandon(hold);
				throw ex;
			}
			return hold;
		}
		catch (InterruptedException | RuntimeException | Error ex) {
			report.failed(ex);
			throw ex;
		}
	}

	/**
	 * Acquire the lock without a thread. Cancelling the future ends the wait.
	 * @param timeoutOutcome the outcome to report if the wait time has passed
	 * @return completes with the lock, or with {@code null} if the wait time has passed
	 */
	CompletableFuture<@Nullable HeldLock> acquireAsync(LockRequest request, LockOutcome timeoutOutcome) {
		return acquireAsync(request, timeoutOutcome, newReport(request, true));
	}

	/**
	 * Acquire the lock without a thread. Cancelling the future ends the wait.
	 * @return completes with the lock, or with {@link LockNotAcquiredException}
	 */
	CompletableFuture<HeldLock> acquireAsyncOrFail(LockRequest request) {
		AttemptReport report = newReport(request, true);
		// The store is not asked: the callback threads must not block.
		return LockFutures.required(acquireAsync(request, LockOutcome.TIMEOUT, report),
				() -> this.holderMessages.notAcquired(request, waitRequest(request, report), report));
	}

	private CompletableFuture<@Nullable HeldLock> acquireAsync(LockRequest request, LockOutcome timeoutOutcome,
			AttemptReport report) {
		CompletableFuture<@Nullable HeldLock> result = new CompletableFuture<>();
		CompletableFuture<@Nullable Holder> holderFuture;
		try {
			this.validator.validate(request);
			Hold held = reenterLockOfWork(request);
			if (held != null) {
				return CompletableFuture.completedFuture(new HoldReference(held));
			}
			try (ObservationScope observed = report.observe()) {
				holderFuture = this.runtime.acquirer().acquireAsync(waitRequest(request, report));
			}
		}
		catch (RuntimeException | Error ex) {
			report.failed(ex);
			return CompletableFuture.failedFuture(ex);
		}
		holderFuture.whenComplete((holder, failure) -> {
			if (failure != null) {
				report.ended((failure instanceof CancellationException) ? LockOutcome.INTERRUPTED
						: LockOutcome.BACKEND_ERROR, failure);
				result.completeExceptionally(failure);
			}
			else if (holder == null) {
				report.ended(timeoutOutcome, null);
				result.complete(null);
			}
			else {
				completeWithLock(request, report, holder, result);
			}
		});
		LockFutures.cancelWith(result, holderFuture);
		return result;
	}

	private void completeWithLock(LockRequest request, AttemptReport report, Holder holder,
			CompletableFuture<@Nullable HeldLock> result) {
		HeldLock lock;
		try {
			lock = new HoldReference(addOrRelease(request, holder, null, null));
		}
		catch (RuntimeException | Error ex) {
			report.ended(LockOutcome.BACKEND_ERROR, ex);
			result.completeExceptionally(ex);
			return;
		}
		try {
			report.acquired(holder);
		}
		catch (RuntimeException | Error ex) {
			lock.abandon();
			result.completeExceptionally(ex);
			return;
		}
		if (!result.complete(lock)) {
			// The caller cancelled at the moment of the grant and never closes the lock.
			lock.abandon();
		}
	}

	private WaitRequest waitRequest(LockRequest request, WaitListener listener) {
		return new WaitRequest(request.key(), request.mode(), request.fair(), this.terms.of(request).storeLease(),
				Objects.requireNonNullElse(request.waitTime(), this.settings.waitTime()),
				this.terms.keep(request).toNanos(),
				Objects.requireNonNullElse(request.maxWaiting(), this.settings.maxWaiting()), listener);
	}

	/**
	 * Add a granted lock to the held ones. If that fails, release it.
	 */
	private Hold addOrRelease(LockRequest request, Holder holder, @Nullable Thread owningThread,
			@Nullable Thread thread) {
		try {
			return this.runtime.heldLocks().add(request, holder, this.terms.of(request), thread, owningThread != null);
		}
		catch (RuntimeException | Error ex) {
			this.runtime.acquirer().releases().releaseAsync(holder);
			throw ex;
		}
	}

	/**
	 * Re-enter a lock that this thread holds.
	 */
	private @Nullable Hold reenter(LockRequest request) {
		Hold held = this.runtime.heldLocks().holdOfThisThread(request.key());
		return (held != null) ? reenter(held, request) : null;
	}

	/**
	 * Re-enter a lock that the asynchronous work of the running code holds.
	 */
	private @Nullable Hold reenterLockOfWork(LockRequest request) {
		Hold held = this.runtime.heldLocks().holdOfThisWork(request.key());
		return (held != null) ? reenter(held, request) : null;
	}

	private @Nullable Hold reenter(Hold held, LockRequest request) {
		// Not if another thread has closed it for this one: such a lock is acquired anew.
		if (!held.isOver() && !held.isValid() && held.lossCause() != null) {
			// Check the loss before the mode: a lost lock is held in none.
			throw HeldLocks.lostException(held);
		}
		if (!held.reenter(request.mode())) {
			this.runtime.heldLocks().forgetOfThisThread(held);
			return null;
		}
		if (!held.isValid()) {
			held.leaveLevel();
			throw HeldLocks.lostException(held);
		}
		return held;
	}

}
