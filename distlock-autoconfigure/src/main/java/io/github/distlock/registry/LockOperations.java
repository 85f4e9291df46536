package io.github.distlock.registry;

import java.time.Duration;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;

import io.github.distlock.HandOff;
import io.github.distlock.HeldLock;
import io.github.distlock.LockDefinitionException;
import io.github.distlock.LockListener;
import io.github.distlock.LockLostException;
import io.github.distlock.LockNotAcquiredException;
import io.github.distlock.LockOutcome;
import io.github.distlock.LockRequest;
import io.github.distlock.backend.BackendDescription;
import io.github.distlock.backend.LockBackend;
import io.github.distlock.backend.TimeSource;
import io.github.distlock.observation.LockObserver;
import io.github.distlock.observation.LockObserver.ObservationScope;
import io.github.distlock.observation.LockObserver.ObservedAcquisition;
import io.github.distlock.observation.LockObservers;
import io.github.distlock.waiting.Holder;
import io.github.distlock.waiting.WaitRequest;
import org.jspecify.annotations.Nullable;

/**
 * Acquires locks: validates the request, re-enters a lock that is already held, or else
 * waits for a grant and adds the lock to {@link HeldLocks}. Reports to the listeners how
 * each attempt ended. Thread-safe.
 */
final class LockOperations {

	private final RegistryRuntime runtime;

	private final LockBackend backend;

	private final BackendDescription description;

	private final RegistrySettings settings;

	private final LockListener listeners;

	private final TimeSource clock;

	private final RequestTerms terms;

	private final RequestValidator validator;

	private final LockObservers observers;

	LockOperations(RegistryRuntime runtime, LockBackend backend, RegistrySettings settings, LockListener listeners,
			TimeSource clock, LockObservers observers) {
		this.runtime = runtime;
		this.backend = backend;
		this.description = backend.description();
		this.settings = settings;
		this.listeners = listeners;
		this.clock = clock;
		this.observers = observers;
		this.terms = new RequestTerms(settings);
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
		return (hold != null) ? new HoldReference(hold, request.mode()) : null;
	}

	/**
	 * Acquire a lock on this thread, without a reference to it.
	 * @param owningThread the thread with whose death the lock is lost, if any
	 */
	@Nullable Hold acquireHold(LockRequest request, boolean interruptible, LockOutcome timeoutOutcome,
			@Nullable Thread owningThread) throws InterruptedException {
		AttemptReport report = new AttemptReport(request);
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
				holder = this.runtime.acquirer().acquire(report.waitRequest(), interruptible);
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
				hold.owner().abandon(hold, request.mode());
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
		AttemptReport report = new AttemptReport(request);
		CompletableFuture<@Nullable HeldLock> result = new CompletableFuture<>();
		CompletableFuture<@Nullable Holder> holderFuture;
		try {
			this.validator.validate(request);
			Hold held = reenterLockOfWork(request);
			if (held != null) {
				return CompletableFuture.completedFuture(new HoldReference(held, request.mode()));
			}
			try (ObservationScope observed = report.observe()) {
				holderFuture = this.runtime.acquirer().acquireAsync(report.waitRequest());
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
			lock = new HoldReference(addOrRelease(request, holder, null, null), request.mode());
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

	/** Return the exception for a wait time that has passed. */
	LockNotAcquiredException notAcquired(LockRequest request) {
		Duration waitTime = waitTime(request);
		return new LockNotAcquiredException("Lock '" + request.key() + "' (" + request.label()
				+ ") was not acquired within " + (waitTime.isZero() ? "one attempt" : waitTime.toString())
				+ ": another caller holds it. Wait longer (waitTime, distlock.wait-time), or hold it for a shorter time");
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
			this.runtime.acquirer().releaseAsync(holder);
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
		if (!held.isOver() && held.remainingLockNanos() <= 0 && held.current().lossCause() != null) {
			// Check the loss before the mode: a lost lock is held in none.
			throw HeldLocks.lostException(held);
		}
		if (!held.reenter(request.mode())) {
			this.runtime.heldLocks().forgetOfThisThread(held);
			return null;
		}
		if (held.remainingLockNanos() <= 0) {
			held.leaveLevel(request.mode());
			throw HeldLocks.lostException(held);
		}
		return held;
	}

	private Duration waitTime(LockRequest request) {
		Duration requested = request.waitTime();
		return (requested != null) ? requested : this.settings.waitTime();
	}

	/** Reports one attempt to the listeners, from its start to its only outcome. */
	private final class AttemptReport {

		private final LockRequest request;

		private final long startNanos = LockOperations.this.clock.nanoTime();

		private final AtomicBoolean waiting = new AtomicBoolean();

		/** Set before the first attempt, by the thread that makes it, until the end. */
		private @Nullable ObservedAcquisition observed;

		private boolean begun;

		AttemptReport(LockRequest request) {
			this.request = request;
		}

		WaitRequest waitRequest() {
			return new WaitRequest(this.request.key(), this.request.mode(), this.request.fair(),
					LockOperations.this.terms.of(this.request).storeLease(), waitTime(this.request),
					this::waitingBegan);
		}

		void acquired(Holder holder) {
			ended(LockOutcome.ACQUIRED, holder.handOff(), holder.fencingToken(), null);
		}

		/**
		 * A lost lock that is re-entered has been reported as lost, and is no attempt.
		 */
		void failed(Throwable ex) {
			if (ex instanceof LockLostException) {
				return;
			}
			LockObservers.close(observe());
			if (ex instanceof InterruptedException) {
				ended(LockOutcome.INTERRUPTED, ex);
			}
			else {
				ended((ex instanceof LockDefinitionException) ? LockOutcome.INVALID : LockOutcome.BACKEND_ERROR, ex);
			}
		}

		void ended(LockOutcome outcome, @Nullable Throwable failure) {
			ended(outcome, HandOff.NONE, 0, failure);
		}

		/**
		 * Begin the observation, if there is one. To be called once it is known that this
		 * is no re-entry.
		 */
		@Nullable ObservationScope observe() {
			LockObserver observer = LockOperations.this.observers.get();
			if (observer == null || this.begun) {
				return null;
			}
			this.begun = true;
			ObservedAcquisition acquisition = observer.acquisition(LockOperations.this.description.name(),
					this.request);
			this.observed = acquisition;
			return (acquisition != null) ? acquisition.openScope() : null;
		}

		private void waitingBegan() {
			this.waiting.set(true);
			ObservedAcquisition acquisition = this.observed;
			if (acquisition != null) {
				acquisition.queued();
			}
			LockOperations.this.listeners.onWaiting(event());
		}

		private void ended(LockOutcome outcome, HandOff handOff, long token, @Nullable Throwable failure) {
			ObservedAcquisition acquisition = this.observed;
			if (acquisition != null) {
				this.observed = null;
				acquisition.ended(outcome, handOff, token, failure);
			}
			if (this.waiting.getAndSet(false)) {
				LockOperations.this.listeners.onWaitingEnded(event());
			}
			LockOperations.this.listeners.onAttempted(new LockListener.Attempted(LockOperations.this.description.name(),
					this.request.label(), this.request.key(), outcome,
					Duration.ofNanos(LockOperations.this.clock.nanoTime() - this.startNanos), handOff, token));
		}

		private LockListener.Waiting event() {
			return new LockListener.Waiting(LockOperations.this.description.name(), this.request.label(),
					this.request.key());
		}

	}

}
