package io.github.distlock.engine;

import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;

import io.github.distlock.LockListener;
import io.github.distlock.LockListener.AtRisk;
import io.github.distlock.LossCause;
import io.github.distlock.engine.Hold.HoldPhase;
import io.github.distlock.engine.LockWarnings.WarningKind;
import io.github.distlock.thread.LockLog;
import io.github.distlock.thread.LockThreads;
import org.apache.commons.logging.Log;

/**
 * Reports what happens to held locks: to the listeners, the callbacks for a loss, and the
 * log. A listener runs on the thread of the holder, which may block itself, otherwise on
 * a callback thread: no timer, no renewal and no release of another lock waits for it.
 * Thread-safe.
 */
final class HoldReports {

	private static final Log logger = LockLog.of(HoldReports.class);

	private final String backend;

	private final LockListeners listeners;

	private final TaskRunner tasks;

	private final Supplier<String> failure;

	/** Whether the thread that holds a lock is interrupted when it is lost. */
	private final boolean interruptOnLost;

	/**
	 * Create the reports of one run of a registry.
	 * @param backend the name of the store
	 * @param failure returns why the latest renewal has failed
	 * @param interruptOnLost whether a loss interrupts the thread that holds the lock
	 */
	HoldReports(String backend, LockListeners listeners, TaskRunner tasks, Supplier<String> failure,
			boolean interruptOnLost) {
		this.backend = backend;
		this.listeners = listeners;
		this.tasks = tasks;
		this.failure = failure;
		this.interruptOnLost = interruptOnLost;
	}

	void released(Hold hold) {
		LockListener.Released event = new LockListener.Released(this.backend, hold.label(), hold.key(),
				hold.fencingToken(), Duration.ofNanos(hold.heldNanos()));
		if (hold.thread() == Thread.currentThread()) {
			this.listeners.notifyEach((listener) -> listener.onReleased(event));
		}
		else {
			callListeners((listener) -> listener.onReleased(event));
		}
	}

	/** The store has not answered to a release, which is repeated. */
	void unanswered(Hold hold, boolean stopped) {
		this.tasks.warnings.warn(WarningKind.UNANSWERED,
				() -> "The release of lock '" + hold.key() + "' has not been acknowledged by the store and "
						+ (stopped
								? "is not repeated, since the registry has been shut down: the lock ends with its "
										+ (hold.validity().sessionBound() ? "session" : "lease")
								: "continues in the background"));
	}

	/**
	 * Warn once if a lock is renewed for a thread that has ended. Another may close it.
	 */
	void checkLeak(Hold hold) {
		Thread owner = hold.thread();
		if (owner != null && !hold.leaked && !owner.isAlive() && hold.holdLease.terms.renewed() && !hold.isOver()
				&& hold.phase() != HoldPhase.RETAINED) {
			hold.leaked = true;
			this.tasks.warnings.warn(WarningKind.LEAK, () -> "Lock '" + hold.key() + "' (" + hold.label()
					+ ") is renewed although the" + " thread that acquired it has ended: " + LockThreads.describe(owner)
					+ ". Close each HeldLock in try-with-resources, or use acquireAsync for work that outlives its"
					+ " thread. distlock.max-hold-time limits such locks");
		}
	}

	void atRisk(Hold hold, CompletableFuture<Void> reported) {
		if (LockRecording.ON.getAsBoolean()) {
			this.listeners.recording().write(LockEvent.RiskEvent::new, hold, null);
		}
		// Not here: this thread renews other locks.
		this.tasks.callBack(() -> {
			AtRisk event = riskOf(hold);
			this.tasks.warnings.warn(WarningKind.RISK, () -> event.reason() + ". Lock '" + hold.key() + "' ("
					+ hold.label() + ") is at risk: its lease could not be renewed and ends in " + event.remaining()
					+ " unless a retry succeeds. Then the lock is lost, and another caller"
					+ " may enter while this one is still working: find out why the store does not answer, or use a"
					+ " longer distlock.lease-time");
			this.listeners.notifyEach((listener) -> listener.onAtRisk(event));
			reported.complete(null);
		});
	}

	/** In order: the beginning may still wait for a callback thread. */
	void riskEnded(Hold hold, CompletableFuture<?> reported) {
		AtRisk event = riskOf(hold);
		reported.thenRun(() -> callListeners((listener) -> listener.onAtRiskEnded(event)));
	}

	private AtRisk riskOf(Hold hold) {
		return new AtRisk(this.backend, hold.label(), hold.key(), hold.fencingToken(),
				Duration.ofMillis(TimeUnit.NANOSECONDS.toMillis(hold.remainingNanos())), this.failure.get());
	}

	/**
	 * The store has renewed a lease. Too late if it had expired.
	 * @param lateNanos how much later than planned, which is after a third of the lease
	 */
	void renewed(Hold hold, long lateNanos) {
		if (LockRecording.ON.getAsBoolean() && !hold.holdLease.isUnanswered()) {
			boolean late = lateNanos >= hold.validity().ttlNanos() / 6;
			this.listeners.recording().write(LockEvent.RenewalEvent::new, hold, late ? "late" : "renewed");
		}
	}

	/** A batch of renewals was answered or has failed. */
	void renewed(int renewed, int gone, int failed, Duration lateness) {
		LockListener.Renewed event = new LockListener.Renewed(this.backend, renewed, gone, failed, lateness);
		callListeners((listener) -> listener.onRenewed(event));
	}

	/** Either all is passed to the callback threads, or this throws. */
	void lost(Hold hold, boolean released, List<Runnable> callbacks) {
		if (this.interruptOnLost) {
			hold.interruptThread();
		}
		if (LockRecording.ON.getAsBoolean()) {
			this.listeners.recording().write(LockEvent.LossEvent::new, hold, null);
		}
		LossCause cause = Objects.requireNonNull(hold.lossCause());
		String reason = cause.description();
		this.tasks.warnings.warn(WarningKind.LOSS, () -> "Lost lock '" + hold.key() + "' (" + hold.label() + ", token "
				+ hold.fencingToken() + "): " + reason + ". " + cause.remedy());
		LockListener.Lost event = new LockListener.Lost(this.backend, hold.label(), hold.key(), hold.fencingToken(),
				Duration.ofNanos(hold.heldNanos()), reason, cause, released);
		// Before the report is passed on: another thread may find no memory for it.
		Consumer<LockListener> notification = (listener) -> listener.onLost(event);
		boolean ofThisThread = hold.thread() == Thread.currentThread();
		if (!ofThisThread || !callbacks.isEmpty()) {
			this.tasks.callBack(() -> {
				runCallbacks(hold, callbacks);
				if (!ofThisThread) {
					this.listeners.notifyEach(notification);
				}
			});
		}
		if (ofThisThread) {
			this.listeners.notifyEach(notification);
		}
	}

	/**
	 * Run callbacks on the callback threads, of which this is one: the last resort if no
	 * other can take one. None waits for another, and each runs if another fails.
	 */
	private void runCallbacks(Hold lost, List<Runnable> callbacks) {
		// Without an iterator, for which there may be no memory.
		for (int i = 0; i < callbacks.size(); i++) {
			Runnable callback = callbacks.get(i);
			try {
				this.tasks.callBack(() -> runCallback(lost, callback));
			}
			catch (Error ex) {
				runCallback(lost, callback);
			}
		}
	}

	private void runCallback(Hold lost, Runnable callback) {
		try {
			callback.run();
		}
		catch (Throwable ex) {
			logger.error("A callback for the loss of lock '" + lost.key() + "' failed", ex);
		}
	}

	private void callListeners(Consumer<LockListener> event) {
		this.tasks.callBack(() -> this.listeners.notifyEach(event));
	}

}
