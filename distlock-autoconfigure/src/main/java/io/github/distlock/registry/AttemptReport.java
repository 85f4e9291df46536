package io.github.distlock.registry;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicReferenceFieldUpdater;

import io.github.distlock.HandOff;
import io.github.distlock.LockDefinitionException;
import io.github.distlock.LockListener;
import io.github.distlock.LockLostException;
import io.github.distlock.LockOutcome;
import io.github.distlock.LockRequest;
import io.github.distlock.backend.StoredLock.StoredHolder;
import io.github.distlock.backend.TimeSource;
import io.github.distlock.observation.LockObservation;
import io.github.distlock.observation.LockObserver;
import io.github.distlock.observation.LockObserver.ObservationScope;
import io.github.distlock.observation.LockObservers;
import io.github.distlock.waiting.Holder;
import io.github.distlock.waiting.WaitListener;
import org.jspecify.annotations.Nullable;

/**
 * Reports one attempt to acquire a lock, from its start to its only outcome: to the
 * listeners, to the observation, and to the list of waiting callers.
 */
final class AttemptReport implements WaitListener {

	private static final WaitingCaller OVER = new WaitingCaller(LockRequest.of("over"), null, 0);

	private static final AtomicReferenceFieldUpdater<AttemptReport, WaitingCaller> WAITING = AtomicReferenceFieldUpdater
		.newUpdater(AttemptReport.class, WaitingCaller.class, "waiting");

	private final Targets targets;

	private final LockRequest request;

	/** Read only if there are listeners: nothing else learns how long it took. */
	private final long startNanos;

	private final boolean asynchronous;

	/**
	 * Empty, then the waiting caller if the attempt waits, then {@link #OVER}. The end of
	 * an asynchronous attempt may come before its caller has reported that it waits.
	 */
	private volatile @Nullable WaitingCaller waiting;

	/** Set before the first attempt, by the thread that makes it, until the end. */
	private @Nullable LockObservation observed;

	private boolean begun;

	/** Set by the thread that ends the wait, before it reports the outcome. */
	private volatile @Nullable StoredHolder blockedBy;

	/** The same. */
	volatile LockOutcome reason = LockOutcome.TIMEOUT;

	AttemptReport(Targets targets, LockRequest request, boolean asynchronous) {
		this.targets = targets;
		this.asynchronous = asynchronous;
		this.request = request;
		this.startNanos = targets.listeners().isEmpty() ? 0 : targets.clock().nanoTime();
	}

	/** What held the lock when the wait time had passed, if known. */
	@Nullable StoredHolder blockedBy() {
		return this.blockedBy;
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
		ended((failure == null && this.reason != LockOutcome.TIMEOUT) ? this.reason : outcome, HandOff.NONE, 0,
				failure);
	}

	/**
	 * Begin the observation, if there is one. To be called once it is known that this is
	 * no re-entry.
	 */
	@Nullable ObservationScope observe() {
		LockObserver observer = this.targets.observers().get();
		if (observer == null || this.begun) {
			return null;
		}
		this.begun = true;
		LockObservation acquisition = observer.acquisition(this.targets.backend(), this.request);
		this.observed = acquisition;
		return (acquisition != null) ? acquisition.openScope() : null;
	}

	@Override
	public void waiting(long sinceNanos) {
		WaitingCaller caller = new WaitingCaller(this.request, this.asynchronous ? null : Thread.currentThread(),
				sinceNanos);
		// Before: the end on another thread removes the caller that it finds here.
		this.targets.waitingCallers().add(caller);
		if (!WAITING.compareAndSet(this, null, caller)) {
			this.targets.waitingCallers().remove(caller);
			return;
		}
		LockObservation acquisition = this.observed;
		if (acquisition != null) {
			acquisition.queued();
		}
		this.targets.listeners().onWaiting(event());
	}

	@Override
	public void notAcquired(LockOutcome reason, @Nullable StoredHolder holder) {
		this.reason = reason;
		this.blockedBy = holder;
	}

	private void ended(LockOutcome outcome, HandOff handOff, long token, @Nullable Throwable failure) {
		LockObservation acquisition = this.observed;
		if (acquisition != null) {
			this.observed = null;
			acquisition.ended(outcome, handOff, token, failure);
		}
		WaitingCaller caller = WAITING.getAndSet(this, OVER);
		if (caller != null && caller != OVER) {
			this.targets.waitingCallers().remove(caller);
			this.targets.listeners().onWaitingEnded(event());
		}
		if (!this.targets.listeners().isEmpty()) {
			Duration waited = Duration.ofNanos(this.targets.clock().nanoTime() - this.startNanos);
			this.targets.listeners()
				.onAttempted(new LockListener.Attempted(this.targets.backend(), this.request.label(),
						this.request.key(), outcome, waited, handOff, token));
		}
	}

	private LockListener.Waiting event() {
		return new LockListener.Waiting(this.targets.backend(), this.request.label(), this.request.key());
	}

	/**
	 * Where the attempts of a registry are reported.
	 *
	 * @param backend the name of the backend
	 * @param listeners the listeners
	 * @param observers finds the observer
	 * @param waitingCallers the callers that wait now
	 * @param clock the time
	 */
	record Targets(String backend, CompositeLockListener listeners, LockObservers observers,
			WaitingCallers waitingCallers, TimeSource clock) {
	}

}
