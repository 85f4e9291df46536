package io.github.distlock.engine;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.Stream;

import io.github.distlock.LockBackendException;
import io.github.distlock.LockDefinitionException;
import io.github.distlock.LockListener;
import io.github.distlock.LockListener.AtRisk;
import io.github.distlock.LockLostException;
import io.github.distlock.LossCause;
import io.github.distlock.backend.BackendDescription;
import io.github.distlock.backend.LockStore;
import io.github.distlock.backend.Ticket;
import io.github.distlock.backend.TimeSource;
import io.github.distlock.engine.Hold.HoldPhase;
import io.github.distlock.engine.Hold.LossEvidence;
import io.github.distlock.engine.KeySnapshot.UnfinishedWork;
import io.github.distlock.engine.Hold.ReleaseOutcome;
import io.github.distlock.environment.EngineEnvironment;
import io.github.distlock.environment.EngineThreads;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * The locks that this JVM holds: which thread holds which lock, how a lock is released,
 * and what follows the loss of a lock.
 * <p>
 * A lock is added when its caller takes it over. It ends in one of two ways:
 * <ol>
 * <li>The last level is closed. The lock is released, or retained until its minimum hold
 * time has passed, and then released.
 * <li>It is lost. The listeners and callbacks are notified once, and each later close of
 * a level throws {@link LockLostException}.
 * </ol>
 * The phase of a {@link Hold} decides between these ways, so no lock is held here during
 * a command to the store. Thread-safe.
 */
public class HeldLocks implements HoldContext {

	private static final Log logger = LogFactory.getLog(HeldLocks.class);

	private static final int MOST_ENDED_GRANTS = 1000;

	/**
	 * The locks of each thread, lost ones included, by their keys. Shared by all runs of
	 * the registry, so that a thread finds its lock after a shutdown. A class of the JDK:
	 * one of this library would keep the class loader of an application alive in the
	 * threads of a pool.
	 */
	private final ThreadLocal<Map<String, Hold>> holdsOfThread;

	private final BackendDescription backend;

	private final KeyTable keys;

	private final LeaseRenewer renewer;

	private final LockListeners listeners;

	private final TimeSource clock;

	/** Whether callers do not wait for the store to answer their releases. */
	private final boolean inBackground;

	/** Whether the thread that holds a lock is interrupted when it is lost. */
	private final boolean interruptOnLost;

	/**
	 * The first token of each grant that an operator has ended lately, by the number of
	 * its ticket. The report of the store may come before the lock is added, and a
	 * refused renewal or release asks here for its cause. Almost always empty.
	 */
	private final Map<Long, Long> endedGrants = new ConcurrentHashMap<>();

	private volatile boolean stopped;

	/**
	 * Create the locks of one run of a registry. None is held yet.
	 * @param store renews the leases
	 * @param backend what the store is and can do
	 * @param keys release the locks
	 * @param environment the clocks, and more of the machine
	 * @param threads renew the leases
	 * @param listeners are notified of releases, losses and renewals
	 * @param inBackground whether callers do not wait for the answers to their releases
	 * @param interruptOnLost whether a loss interrupts the thread that holds the lock
	 * @param holdsOfThread the locks of each thread, by their keys
	 */
	public HeldLocks(LockStore store, BackendDescription backend, KeyTable keys, EngineEnvironment environment,
			EngineThreads threads, LockListeners listeners, boolean inBackground, boolean interruptOnLost,
			ThreadLocal<Map<String, Hold>> holdsOfThread) {
		this.backend = backend;
		this.keys = keys;
		this.renewer = new LeaseRenewer(store, backend.batchSize(), environment, threads, this);
		this.listeners = listeners;
		this.clock = environment.clock();
		this.inBackground = inBackground;
		this.interruptOnLost = interruptOnLost;
		this.holdsOfThread = holdsOfThread;
	}

	/**
	 * {@return the watchdog}
	 */
	public LeaseRenewer renewer() {
		return this.renewer;
	}

	/**
	 * Renew nothing from now on. What the store has not answered is not repeated. If no
	 * lease ends the locks in the store, those in their minimum hold time are released
	 * before it has passed.
	 * @return whether there were any
	 */
	public boolean stop() {
		this.stopped = true;
		this.renewer.stop();
		List<Hold> retained = this.backend.expires() ? List.of() : retained().toList();
		// The end of a retained lock is not reported, whatever its cause.
		retained.forEach((hold) -> hold.lose(LossCause.LEASE_EXPIRED));
		return !retained.isEmpty();
	}

	/** Return which work is unfinished, except locks in their minimum hold time. */
	public UnfinishedWork unfinished() {
		List<Ticket> retained = retained().map((hold) -> hold.ticket).toList();
		return (this.renewer.size() > retained.size()) ? UnfinishedWork.HELD_LOCKS
				: this.keys.unfinishedWorkExcept(retained);
	}

	/** Return the lock of a key that the calling thread holds. */
	public @Nullable Hold holdOfThisThread(String key) {
		return this.holdsOfThread.get().get(key);
	}

	/** Return how many locks the calling thread holds, lost ones included. */
	public int numberOfThisThread() {
		return this.holdsOfThread.get().size();
	}

	/**
	 * {@return the locks that callers hold}
	 */
	public Stream<Hold> holds() {
		return this.renewer.holds().stream().filter((hold) -> !hold.isRetained());
	}

	private Stream<Hold> retained() {
		return this.renewer.holds().stream().filter(Hold::isRetained);
	}

	/**
	 * Return the lock of a key that a caller of this JVM holds under a grant.
	 * @param key the key
	 * @param grantToken the first fencing token of the grant
	 * @return the lock, {@code null} if there is none
	 */
	public @Nullable Hold find(String key, long grantToken) {
		return holds().filter((hold) -> hold.key().equals(key) && hold.grantToken() == grantToken)
			.findFirst()
			.orElse(null);
	}

	/** An operator has ended a grant: from now on, its loss is put down to that. */
	public void noteEnded(Ticket ticket, long grantToken) {
		if (this.endedGrants.size() >= MOST_ENDED_GRANTS) {
			this.endedGrants.clear();
		}
		this.endedGrants.put(ticket.number(), grantToken);
	}

	/** The grant has not been ended: the message was wrong. */
	public void forgetEnded(Ticket ticket) {
		this.endedGrants.remove(ticket.number());
	}

	/**
	 * Report the loss of the lock that is held under a grant that an operator has ended.
	 */
	public void loseEnded(Ticket ticket, long grantToken) {
		holds().filter((hold) -> hold.ticket.equals(ticket) && hold.grantToken() == grantToken)
			.forEach((hold) -> hold.lose(LossCause.RELEASED_BY_OPERATOR));
	}

	/**
	 * The registry was shut down and is started again: nothing renews these locks. Their
	 * store is closed, so they stay there until their leases end.
	 */
	public void loseAll() {
		holds().forEach((hold) -> hold.lose(LossCause.REGISTRY_RESTARTED));
	}

	@Override
	public TimeSource clock() {
		return this.clock;
	}

	@Override
	public boolean isEnded(Hold hold) {
		return !this.endedGrants.isEmpty()
				&& Objects.equals(this.endedGrants.get(hold.ticket.number()), hold.grantToken());
	}

	/**
	 * Add a lock that its caller takes over. If that fails, release it.
	 * @param hold the lock
	 */
	public void add(Hold hold) {
		try {
			hold.take();
			this.renewer.watch(hold);
			if (hold.thread() != null) {
				Map<String, Hold> own = this.holdsOfThread.get();
				if (Integer.bitCount(own.size()) == 1) {
					// Leave out the holds that other threads have closed. Each time the
					// size has doubled is enough.
					own.values().removeIf(Hold::isOver);
				}
				own.put(hold.key(), hold);
			}
			if (isEnded(hold)) {
				// Reported before the lock was watched.
				hold.lose(LossCause.RELEASED_BY_OPERATOR);
			}
		}
		catch (RuntimeException | Error ex) {
			forgetOfThisThread(hold);
			drop(hold);
			throw ex;
		}
	}

	/** No caller uses the lock: end its lease, and release it in the background. */
	private void drop(Hold hold) {
		hold.leave();
		this.renewer.forget(hold);
		this.keys.releaseAsync(hold);
	}

	@Override
	public void expireAfter(Hold hold, Duration leaseTime) {
		Duration remainingMinHold = hold.renewal.remainingMinHold();
		if (leaseTime.compareTo(remainingMinHold) < 0) {
			throw new LockDefinitionException(
					"Lock '" + hold.key() + "' cannot expire after " + leaseTime + ": its minimum hold time ends after "
							+ remainingMinHold + ". Use a longer leaseTime or a shorter minHold");
		}
		if (!this.renewer.expireAfter(hold, leaseTime)) {
			throw lostException(hold);
		}
	}

	@Override
	public boolean release(Hold hold, boolean ofView, @Nullable CompletableFuture<Void> closed) {
		return release(hold, ofView, hold.renewal.remainingMinHold(), closed);
	}

	@Override
	public boolean abandon(Hold hold) {
		return release(hold, false, Duration.ZERO, null);
	}

	private boolean release(Hold hold, boolean ofView, Duration remainingMinHold,
			@Nullable CompletableFuture<Void> closed) {
		if (hold.leaveLevel(ofView)) {
			return endHold(hold, remainingMinHold, closed);
		}
		if (hold.checkExpired() && hold.lossCause() != null) {
			// Only if it was lost: other callers may have released the last levels by
			// now.
			throw lostException(hold);
		}
		return true;
	}

	private boolean endHold(Hold hold, Duration remainingMinHold, @Nullable CompletableFuture<Void> closed) {
		boolean valid = true;
		try {
			if (hold.thread() == Thread.currentThread()) {
				forgetOfThisThread(hold);
			}
			if (isEnded(hold)) {
				// Otherwise the next caller of this JVM would enter under the ended
				// grant.
				hold.lose(LossCause.RELEASED_BY_OPERATOR);
			}
			if (remainingMinHold.isZero() || !retain(hold, remainingMinHold)) {
				long leftNanos = hold.endLease();
				valid = leftNanos > 0;
				this.renewer.forget(hold);
				if (!valid) {
					throw lostException(hold);
				}
				if (!releaseInStore(hold, leftNanos, closed)) {
					return false;
				}
			}
		}
		catch (LockBackendException | Error ex) {
			// No effect if it has left. Otherwise nothing would ever let it leave, and
			// its next renewal would report a loss.
			drop(hold);
			if (valid) {
				notifyReleased(hold);
			}
			throw ex;
		}
		notifyReleased(hold);
		return true;
	}

	/**
	 * Retain a lock until its minimum hold time has passed.
	 * @return whether it is retained; otherwise it was lost
	 */
	private boolean retain(Hold hold, Duration remainingMinHold) {
		if (!hold.retain()) {
			return false;
		}
		this.renewer.expireAfter(hold, remainingMinHold);
		if (this.stopped && !this.backend.expires()) {
			// After the lock was retained: either this thread or stop() finds it.
			hold.lose(LossCause.LEASE_EXPIRED);
		}
		return true;
	}

	private void notifyReleased(Hold hold) {
		if (!this.listeners.isEmpty()) {
			LockListener.Released event = new LockListener.Released(this.backend.name(), hold.label(), hold.key(),
					hold.fencingToken(), Duration.ofNanos(hold.heldNanos()));
			callListeners(hold, (listener) -> listener.onReleased(event));
		}
	}

	/**
	 * Notify the listeners on the thread of the holder, which may block itself, otherwise
	 * on a callback thread: no timer, no renewal and no release of another lock waits for
	 * a listener.
	 */
	private void callListeners(Hold hold, Consumer<LockListener> event) {
		if (hold.thread() == Thread.currentThread()) {
			this.listeners.notifyEach(event);
		}
		else {
			this.keys.tasks().callBack(() -> this.listeners.notifyEach(event));
		}
	}

	/** Return whether the release has ended; otherwise the future says it later. */
	private boolean releaseInStore(Hold hold, long leftNanos, @Nullable CompletableFuture<Void> closed) {
		boolean background = closed != null || (this.inBackground && !hold.renewal.hasMinHold());
		ReleaseOutcome outcome = this.keys.release(hold, leftNanos, background, closed);
		if (outcome == ReleaseOutcome.GONE) {
			throw lostBeforeRelease(hold);
		}
		if (outcome == ReleaseOutcome.UNANSWERED) {
			warnUnanswered(hold);
		}
		return closed == null || outcome != ReleaseOutcome.PENDING;
	}

	/** Report that the lock had been lost when its release arrived in the store. */
	private LockLostException lostBeforeRelease(Hold hold) {
		List<Runnable> callbacks = hold.loseAfterEnd(hold.causeOfLoss(LossEvidence.RELEASE_REFUSED));
		notifyLost(hold, false);
		runCallbacks(hold, callbacks);
		return lostException(hold, "before its release arrived in the store");
	}

	/**
	 * If the lock had been lost and its caller has been told that it is released, only
	 * listeners and the log learn it.
	 */
	@Override
	public void answered(Hold hold, ReleaseOutcome outcome, @Nullable CompletableFuture<Void> closed) {
		if (outcome == ReleaseOutcome.UNANSWERED) {
			warnUnanswered(hold);
		}
		// Not here: this may be the thread of the driver, or that of the next caller.
		if (closed != null && outcome == ReleaseOutcome.GONE) {
			this.keys.tasks().callBack(() -> closed.completeExceptionally(lostBeforeRelease(hold)));
		}
		else if (closed != null) {
			this.keys.tasks().callBack(() -> {
				notifyReleased(hold);
				closed.complete(null);
			});
		}
		else if (outcome == ReleaseOutcome.GONE) {
			hold.loseAfterEnd(hold.causeOfLoss(LossEvidence.RELEASE_REFUSED));
			this.keys.tasks().callBack(() -> notifyLost(hold, true));
		}
	}

	/** The store has not answered to a release, which is repeated. */
	private void warnUnanswered(Hold hold) {
		logger.warn("The release of lock '" + hold.key() + "' has not been acknowledged by the store and "
				+ (this.stopped
						? "is not repeated, since the registry has been shut down: the lock ends with its "
								+ (hold.validity().sessionBound() ? "session" : "lease")
						: "continues in the background"));
	}

	@Override
	public boolean confirm(Hold hold) {
		return this.renewer.confirm(hold);
	}

	/** Remove a lock from those of the calling thread, but no other one of its key. */
	public void forgetOfThisThread(Hold hold) {
		this.holdsOfThread.get().remove(hold.key(), hold);
	}

	public static LockLostException lostException(Hold hold) {
		return lostException(hold, "while it was held");
	}

	private static LockLostException lostException(Hold hold, String when) {
		return new LockLostException(hold.key(), hold.fencingToken(), when, hold.lossCause(),
				"Another caller may have held it in the meantime: check or undo the work that was done under it", null);
	}

	@Override
	public void lost(Hold hold, HoldPhase before, List<Runnable> callbacks) {
		try {
			drop(hold);
		}
		finally {
			if (before != HoldPhase.RETAINED) {
				reportLoss(hold, callbacks);
			}
		}
	}

	private void reportLoss(Hold hold, List<Runnable> callbacks) {
		if (this.interruptOnLost) {
			hold.interruptThread();
		}
		notifyLost(hold, false);
		runCallbacks(hold, callbacks);
	}

	@Override
	public void atRisk(Hold hold, CompletableFuture<Void> reported, List<Consumer<Duration>> callbacks) {
		// Not here: this thread renews other locks.
		this.keys.tasks().callBack(() -> {
			AtRisk event = riskOf(hold);
			logger.warn(event.reason() + ". Lock '" + hold.key() + "' (" + hold.label() + ") is at risk: its lease"
					+ " could not be renewed and ends in " + event.remaining()
					+ " unless a retry succeeds. Then the lock is lost, and another caller"
					+ " may enter while this one is still working: find out why the store does not answer, or use a"
					+ " longer distlock.lease-time");
			this.listeners.notifyEach((listener) -> listener.onAtRisk(event));
			reported.complete(null);
			runCallbacks(hold,
					callbacks.stream().<Runnable>map((callback) -> () -> callback.accept(event.remaining())).toList());
		});
	}

	/** In order: the beginning may still wait for a callback thread. */
	@Override
	public void riskEnded(Hold hold, CompletableFuture<Void> reported) {
		AtRisk event = riskOf(hold);
		reported.thenRun(
				() -> this.keys.tasks().callBack(() -> this.listeners.notifyEach((each) -> each.onAtRiskEnded(event))));
	}

	private AtRisk riskOf(Hold hold) {
		return new AtRisk(this.backend.name(), hold.label(), hold.key(), hold.fencingToken(),
				Duration.ofMillis(TimeUnit.NANOSECONDS.toMillis(hold.remainingNanos())), this.renewer.failure());
	}

	/** A batch of renewals was answered or has failed. */
	void renewed(int renewed, int gone, int failed, Duration lateness) {
		LockListener.Renewed event = new LockListener.Renewed(this.backend.name(), renewed, gone, failed, lateness);
		this.keys.tasks().callBack(() -> this.listeners.notifyEach((listener) -> listener.onRenewed(event)));
	}

	private void notifyLost(Hold hold, boolean released) {
		LossCause cause = Objects.requireNonNull(hold.lossCause());
		String reason = cause.description();
		logger.warn("Lost lock '" + hold.key() + "' (" + hold.label() + ", token " + hold.fencingToken() + "): "
				+ reason + ". " + cause.remedy());
		LockListener.Lost event = new LockListener.Lost(this.backend.name(), hold.label(), hold.key(),
				hold.fencingToken(), Duration.ofNanos(hold.heldNanos()), reason, cause, released);
		callListeners(hold, (listener) -> listener.onLost(event));
	}

	/**
	 * Run loss callbacks on the callback threads. A callback that fails does not prevent
	 * the others.
	 */
	private void runCallbacks(Hold lost, List<Runnable> callbacks) {
		for (Runnable callback : callbacks) {
			this.keys.tasks().callBack(() -> {
				try {
					callback.run();
				}
				catch (Throwable ex) {
					logger.error("A callback for the loss of lock '" + lost.key() + "' failed", ex);
				}
			});
		}
	}

}
