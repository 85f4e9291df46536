package io.github.distlock.registry;

import java.time.Duration;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;
import java.util.function.ObjLongConsumer;

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
import io.github.distlock.thread.LockThreads;
import io.github.distlock.engine.Hold;
import io.github.distlock.engine.LockListeners;
import io.github.distlock.engine.LockRecording;
import io.github.distlock.engine.WaitOutcome.Refused;
import org.jspecify.annotations.Nullable;

/**
 * One caller that asks for a lock, from its start to its only outcome. Reports to the
 * listeners, to the observation, and to the list of waiting callers. Compared by
 * identity.
 */
final class Caller {

	private static final int WAITING = 1;

	/** The caller waits, and that was logged as a slow wait. */
	private static final int WAITING_SLOWLY = 2;

	private static final int ENDED = 3;

	private static final AtomicIntegerFieldUpdater<Caller> STATE = AtomicIntegerFieldUpdater.newUpdater(Caller.class,
			"state");

	private final Callers callers;

	/**
	 * With the prefix of its key from the first attempt on: set before anything else sees
	 * this caller, by the thread that asks.
	 */
	private LockRequest request;

	/** The thread that asks; {@code null} if a future waits. */
	private final @Nullable Thread thread;

	/** The outcome if the wait time has passed. */
	private final LockOutcome timeoutOutcome;

	/**
	 * Zero, then {@link #WAITING} and perhaps {@link #WAITING_SLOWLY} if the caller
	 * waits, then {@link #ENDED}. The end of an asynchronous wait may come before it is
	 * reported that the caller waits.
	 */
	private volatile int state;

	/**
	 * When it asked: only if there are listeners, or since it waits. Set again before the
	 * state becomes {@link #WAITING}.
	 */
	private volatile long sinceNanos;

	/** Set before the state becomes {@link #WAITING}, if this JVM records. */
	private @Nullable ObjLongConsumer<LockOutcome> recorded;

	/** Set before the first attempt, by the thread that makes it, until the end. */
	private @Nullable LockObservation observed;

	private boolean begun;

	/**
	 * Why the wait ended without the lock, and what held it, unless this process was
	 * paused. Set by the thread that ends the wait, before it reports the outcome.
	 */
	private volatile @Nullable Refused refused;

	/**
	 * Create a caller that asks now.
	 * @param thread the calling thread; {@code null} if a future waits
	 * @param timeoutOutcome the outcome to report if the wait time has passed
	 */
	Caller(Callers callers, LockRequest request, @Nullable Thread thread, LockOutcome timeoutOutcome) {
		this.callers = callers;
		this.request = request;
		this.thread = thread;
		this.timeoutOutcome = timeoutOutcome;
		this.sinceNanos = callers.listeners().isEmpty() ? 0 : callers.clock().nanoTime();
	}

	LockRequest request() {
		return this.request;
	}

	/** The name or the id of the thread. */
	String name() {
		return (this.thread != null) ? LockThreads.describe(this.thread) : "asynchronous";
	}

	/** Return words that name the caller. */
	String describe() {
		return (this.thread != null) ? "thread '" + name() + "'" : "an asynchronous caller";
	}

	long waitingSinceNanos() {
		return this.sinceNanos;
	}

	/** Return what held the lock when the wait ended without it, if known. */
	@Nullable StoredHolder blockedBy() {
		Refused current = this.refused;
		return (current != null) ? current.holder() : null;
	}

	/** Return why the wait ended without the lock. */
	LockOutcome reason() {
		Refused current = this.refused;
		return (current != null) ? current.reason() : LockOutcome.TIMEOUT;
	}

	void acquired(Hold hold) {
		ended(LockOutcome.ACQUIRED, hold.handOff(), hold.fencingToken(), null);
	}

	void notAcquired() {
		ended((reason() != LockOutcome.TIMEOUT) ? reason() : this.timeoutOutcome, HandOff.NONE, 0, null);
	}

	/**
	 * A lost lock that is re-entered has been reported as lost, and is no attempt.
	 */
	void failed(Throwable ex) {
		if (ex instanceof LockLostException) {
			return;
		}
		LockObservers.close(observe());
		LockOutcome outcome = LockOutcome.BACKEND_ERROR;
		if (ex instanceof InterruptedException || ex instanceof CancellationException) {
			outcome = LockOutcome.INTERRUPTED;
		}
		else if (ex instanceof LockDefinitionException) {
			outcome = LockOutcome.INVALID;
		}
		ended(outcome, HandOff.NONE, 0, ex);
	}

	/**
	 * Begin the observation, if there is one. To be called once it is known that this is
	 * no re-entry.
	 */
	@Nullable ObservationScope observe() {
		LockObserver observer = this.callers.observers().get();
		if (observer == null || this.begun) {
			return null;
		}
		this.begun = true;
		LockObservation acquisition = observer.acquisition(this.callers.backend(), this.request);
		this.observed = acquisition;
		return (acquisition != null) ? acquisition.openScope() : null;
	}

	/** Whether it has been reported that this caller waits. */
	boolean isWaiting() {
		int current = this.state;
		return current == WAITING || current == WAITING_SLOWLY;
	}

	/** Note that the slow wait is logged. Returns whether it was not before. */
	boolean markSlow() {
		return STATE.compareAndSet(this, WAITING, WAITING_SLOWLY);
	}

	/**
	 * Report that the first attempt did not get the lock, or other callers of this JVM
	 * are ahead, so that this caller waits.
	 * @param sinceNanos when it asked for the lock, by the monotonic clock
	 */
	void waiting(long sinceNanos) {
		this.sinceNanos = sinceNanos;
		if (LockRecording.ON.getAsBoolean()) {
			this.recorded = this.callers.listeners().recording().waiting(this.request);
		}
		// Before: the end on another thread removes the caller that it finds here.
		this.callers.waiting().add(this);
		if (!STATE.compareAndSet(this, 0, WAITING)) {
			this.callers.waiting().remove(this);
			return;
		}
		LockObservation acquisition = this.observed;
		if (acquisition != null) {
			acquisition.queued();
		}
		LockListener.Waiting event = event();
		this.callers.listeners().notifyEach((listener) -> listener.onWaiting(event));
	}

	/** The wait has ended without the lock: why, and what held the lock last. */
	void refused(Refused outcome) {
		this.refused = outcome;
	}

	/** Only the first outcome counts. */
	private void ended(LockOutcome outcome, HandOff handOff, long token, @Nullable Throwable failure) {
		int before = STATE.getAndSet(this, ENDED);
		if (before == ENDED) {
			return;
		}
		LockObservation acquisition = this.observed;
		if (acquisition != null) {
			acquisition.ended(outcome, handOff, token, failure);
		}
		LockListeners listeners = this.callers.listeners();
		if (before == WAITING || before == WAITING_SLOWLY) {
			this.callers.waiting().remove(this);
			if (this.recorded != null) {
				this.recorded.accept(outcome, token);
			}
			LockListener.Waiting event = event();
			listeners.notifyEach((listener) -> listener.onWaitingEnded(event));
		}
		if (!listeners.isEmpty()) {
			LockListener.Attempted event = new LockListener.Attempted(this.callers.backend(), this.request.label(),
					this.request.key(), outcome, waited(), handOff, token);
			listeners.notifyEach((listener) -> listener.onAttempted(event, this.request));
		}
	}

	private Duration waited() {
		return Duration.ofNanos(this.callers.clock().nanoTime() - this.sinceNanos);
	}

	private LockListener.Waiting event() {
		return new LockListener.Waiting(this.callers.backend(), this.request.label(), this.request.key(), waited());
	}

	@Override
	public boolean equals(@Nullable Object other) {
		return this == other;
	}

	/** The same in each run of a simulation: callers are iterated in sets. */
	@Override
	public int hashCode() {
		return Long.hashCode(this.sinceNanos);
	}

	/**
	 * The callers of one run of a registry: those that wait now, and what all of them
	 * report to.
	 *
	 * @param backend the name of the backend
	 * @param listeners the listeners
	 * @param observers finds the observer
	 * @param clock the time
	 * @param waiting the callers that wait now, a concurrent set
	 */
	record Callers(String backend, LockListeners listeners, LockObservers observers, TimeSource clock,
			Set<Caller> waiting) {

		/** Return the callers that wait now, the longest waiting first. */
		List<Caller> longestWaitingFirst() {
			return this.waiting.stream().sorted(Comparator.comparingLong(Caller::waitingSinceNanos)).toList();
		}

		/** Return how many callers wait for each key. */
		Map<String, Integer> waitingByKey() {
			Map<String, Integer> counts = new HashMap<>();
			this.waiting.forEach((caller) -> counts.merge(caller.request().key(), 1, Integer::sum));
			return counts;
		}

	}

}
