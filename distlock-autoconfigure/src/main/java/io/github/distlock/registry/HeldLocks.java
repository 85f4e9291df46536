package io.github.distlock.registry;

import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.stream.Stream;

import io.github.distlock.HeldLock;
import io.github.distlock.LockContext;
import io.github.distlock.LockDefinitionException;
import io.github.distlock.LockListener;
import io.github.distlock.LockLostException;
import io.github.distlock.LockRequest;
import io.github.distlock.LossCause;
import io.github.distlock.backend.BackendDescription;
import io.github.distlock.backend.Ticket;
import io.github.distlock.backend.TimeSource;
import io.github.distlock.backend.Validity;
import io.github.distlock.environment.EngineEnvironment;
import io.github.distlock.registry.RegistrySnapshot.HeldLockSnapshot;
import io.github.distlock.renewal.Lease;
import io.github.distlock.renewal.LeaseRenewer;
import io.github.distlock.renewal.LeaseTerms;
import io.github.distlock.renewal.RenewalListener;
import io.github.distlock.waiting.Holder;
import io.github.distlock.waiting.LockAcquirer;
import io.github.distlock.waiting.ReleaseObserver;
import io.github.distlock.waiting.ReleaseOutcome;
import io.github.distlock.waiting.UnfinishedWork;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * The locks that this JVM holds: which thread holds which lock, how a lock is released,
 * and what follows the loss of a lock.
 * <p>
 * A lock is added after its grant, and then owned by the thread that acquired it, or by
 * none. It leaves in one of two ways. Its last level is released: its lease ends and the
 * lock is released in the store, or retained for its minimum hold time. It is lost: the
 * lease reports that once, the listeners and callbacks are notified, and each later close
 * of a level throws {@link LockLostException}.
 * <p>
 * The first change of the state of a {@link Hold} or of its lease decides between these
 * ways, so no lock is held here during a command to the store. Thread-safe.
 */
final class HeldLocks implements RenewalListener, Hold.Owner {

	private static final Log logger = LogFactory.getLog(HeldLocks.class);

	private static final int MOST_ENDED_GRANTS = 1000;

	private final ThreadHolds holdsOfThread = new ThreadHolds();

	private final String backend;

	private final LockAcquirer acquirer;

	private final LeaseRenewer renewer;

	private final MinimumHoldTimes minimumHoldTimes;

	private final CompositeLockListener listeners;

	private final TimeSource clock;

	private final boolean interruptOnLost;

	private final ReleaseMode releaseMode;

	/**
	 * The first token of each grant that an operator has ended lately, by the number of
	 * its ticket. The report of the store may come before the lock is added, and a
	 * refused renewal or release asks here for its cause. Almost always empty.
	 */
	private final Map<Long, Long> endedGrants = new ConcurrentHashMap<>();

	private volatile boolean stopped;

	HeldLocks(BackendDescription backend, LockAcquirer acquirer, Function<RenewalListener, LeaseRenewer> renewerFactory,
			CompositeLockListener listeners, EngineEnvironment environment, RegistrySettings settings) {
		this.backend = backend.name();
		this.acquirer = acquirer;
		this.renewer = renewerFactory.apply(this);
		this.minimumHoldTimes = new MinimumHoldTimes(acquirer, this.renewer, environment.clock(), backend.expires());
		this.listeners = listeners;
		this.clock = environment.clock();
		this.interruptOnLost = settings.interruptOnLost();
		this.releaseMode = settings.release();
	}

	LeaseRenewer renewer() {
		return this.renewer;
	}

	/** Renew nothing from now on. What the store has not answered is not repeated. */
	void stop() {
		this.stopped = true;
		this.renewer.stop();
	}

	MinimumHoldTimes minimumHoldTimes() {
		return this.minimumHoldTimes;
	}

	/** Return which work is unfinished, except locks in their minimum hold time. */
	UnfinishedWork unfinished() {
		List<Ticket> inMinimumHoldTime = this.minimumHoldTimes.tickets();
		return (this.renewer.size() > inMinimumHoldTime.size()) ? UnfinishedWork.HELD_LOCKS
				: this.acquirer.unfinishedWorkExcept(inMinimumHoldTime);
	}

	/** Return the lock of a key that the calling thread holds. */
	@Nullable Hold holdOfThisThread(String key) {
		return this.holdsOfThread.get(key);
	}

	/**
	 * Return the lock of a key that the asynchronous work of the running code holds,
	 * according to {@link LockContext}. A lock of a thread is never returned.
	 */
	@Nullable Hold holdOfThisWork(String key) {
		List<HeldLock> open = LockContext.all();
		if (open.isEmpty()) {
			return null;
		}
		for (HeldLock lock : open) {
			Hold hold = holdOfWork(lock, key);
			if (hold != null) {
				return hold;
			}
		}
		return null;
	}

	private @Nullable Hold holdOfWork(HeldLock lock, String key) {
		if (lock instanceof CompositeHeldLock composite) {
			Hold ofFirst = holdOfWork(composite.first(), key);
			return (ofFirst != null) ? ofFirst : holdOfWork(composite.second(), key);
		}
		Hold hold = (lock instanceof HoldReference handle) ? handle.openHoldOf(this) : null;
		return (hold != null && hold.thread() == null && hold.key().equals(key)) ? hold : null;
	}

	/** Return how many locks the calling thread holds, lost ones included. */
	int numberOfThisThread() {
		return this.holdsOfThread.size();
	}

	/** Return the locks that are held now, the one that is held longest first. */
	List<HeldLockSnapshot> snapshot(WaitingCallers waiting) {
		// By their start: ages that are read one after the other are not in order.
		return holds().sorted(Comparator.comparingLong(Hold::startNanos))
			.map((hold) -> HeldLockSnapshot.of(hold, this.clock.wallMillis(), waiting.count(hold.key())))
			.toList();
	}

	private Stream<Hold> holds() {
		return this.renewer.leases().stream().filter(Hold.class::isInstance).map(Hold.class::cast);
	}

	/** Return the lock of a key that a caller of this JVM holds under a grant. */
	@Nullable Hold find(String key, long grantToken) {
		return holds().filter((hold) -> hold.key().equals(key) && hold.holder().grantToken() == grantToken)
			.findFirst()
			.orElse(null);
	}

	/** An operator has ended a grant: from now on, its loss is put down to that. */
	void noteEnded(Ticket ticket, long grantToken) {
		if (this.endedGrants.size() >= MOST_ENDED_GRANTS) {
			this.endedGrants.clear();
		}
		this.endedGrants.put(ticket.number(), grantToken);
	}

	/** The grant has not been ended: the message was wrong. */
	void forgetEnded(Ticket ticket) {
		this.endedGrants.remove(ticket.number());
	}

	/**
	 * Report the loss of the lock that is held under a grant that an operator has ended.
	 */
	void loseEnded(Ticket ticket, long grantToken) {
		holds().filter((hold) -> hold.ticket().equals(ticket) && hold.holder().grantToken() == grantToken)
			.forEach((hold) -> hold.lose(LossCause.RELEASED_BY_OPERATOR));
	}

	/**
	 * The registry was shut down and is started again: nothing renews these locks. Their
	 * store is closed, so they stay there until their leases end.
	 */
	void loseAll() {
		holds().forEach((hold) -> hold.lose(LossCause.REGISTRY_RESTARTED));
	}

	@Override
	public TimeSource clock() {
		return this.clock;
	}

	@Override
	public boolean isEnded(Hold hold) {
		return !this.endedGrants.isEmpty()
				&& Objects.equals(this.endedGrants.get(hold.ticket().number()), hold.holder().grantToken());
	}

	/**
	 * Add a lock that has just been granted.
	 * @param thread the thread that may re-enter the lock, if any
	 * @param endsWithThread whether the lock is lost when that thread dies
	 */
	Hold add(LockRequest request, Holder holder, LeaseTerms terms, @Nullable Thread thread, boolean endsWithThread) {
		Hold hold = new Hold(this, request.label(), holder, terms, this.clock, thread, endsWithThread);
		this.renewer.watch(hold);
		if (thread != null) {
			this.holdsOfThread.put(hold);
		}
		if (isEnded(hold)) {
			// Reported before the lock was watched.
			hold.lose(LossCause.RELEASED_BY_OPERATOR);
		}
		return hold;
	}

	@Override
	public void expireAfter(Hold hold, Duration leaseTime) {
		Duration remainingMinHold = hold.remainingMinHold();
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
	public void release(Hold hold) {
		release(hold, hold.remainingMinHold());
	}

	@Override
	public void abandon(Hold hold) {
		release(hold, Duration.ZERO);
	}

	private void release(Hold hold, Duration remainingMinHold) {
		if (hold.leaveLevel()) {
			endHold(hold, remainingMinHold);
		}
		else if (hold.isLost()) {
			// Only if it was lost: other callers may have released the last levels by
			// now.
			throw lostException(hold);
		}
	}

	private void endHold(Hold hold, Duration remainingMinHold) {
		hold.awaitInterrupt();
		if (hold.thread() == Thread.currentThread()) {
			forgetOfThisThread(hold);
		}
		if (isEnded(hold)) {
			// Otherwise the next caller of this JVM would enter under the ended grant.
			hold.lose(LossCause.RELEASED_BY_OPERATOR);
		}
		boolean valid = true;
		try {
			long remainingNanos = hold.endLease();
			valid = remainingNanos > 0;
			this.renewer.forget(hold);
			if (!valid) {
				throw lostException(hold);
			}
			if (remainingMinHold.isZero() || !this.minimumHoldTimes.retain(hold, remainingMinHold)) {
				releaseInStore(hold, Duration.ofNanos(remainingNanos));
			}
		}
		catch (Error ex) {
			// No effect if it has left. Otherwise nothing would ever let it leave.
			this.acquirer.releases().releaseAsync(hold.holder(), hold.validity());
			if (valid) {
				notifyReleased(hold);
			}
			throw ex;
		}
		notifyReleased(hold);
	}

	private void notifyReleased(Hold hold) {
		if (!this.listeners.isEmpty()) {
			this.listeners.onReleased(new LockListener.Released(this.backend, hold.name(), hold.key(),
					hold.holder().fencingToken(), heldSince(hold)));
		}
	}

	/** Release the lock in the store, unless this JVM keeps it for its next caller. */
	private void releaseInStore(Hold hold, Duration remaining) {
		ReleaseOutcome outcome = releaseOrKeep(hold, remaining);
		if (outcome == ReleaseOutcome.GONE) {
			notifyGone(hold, causeOfGone(hold), heldSince(hold), false);
			runLossCallbacks(hold);
			throw lostException(hold, "before its release arrived in the store");
		}
		if (outcome == ReleaseOutcome.UNANSWERED) {
			warnUnanswered(hold);
		}
	}

	private ReleaseOutcome releaseOrKeep(Hold hold, Duration remaining) {
		boolean background = this.releaseMode == ReleaseMode.BACKGROUND && !hold.hasMinHold();
		boolean keep = hold.holder().keepNanos() > 0 && hold.isRenewedByWatchdog();
		return this.acquirer.releases()
			.release(hold.holder(), hold.validity(), remaining, keep, background,
					(keep || background) ? new UnawaitedRelease(hold) : null);
	}

	/**
	 * Return why the store no longer knew a lock when its release arrived: the lease may
	 * have ended while the release was on its way.
	 */
	private LossCause causeOfGone(Hold hold) {
		Validity validity = hold.validity();
		if (isEnded(hold)) {
			return LossCause.RELEASED_BY_OPERATOR;
		}
		if (!validity.hasPassed(this.clock)) {
			return LossCause.FORGOTTEN;
		}
		if (validity.sessionBound()) {
			return LossCause.SESSION_LOST;
		}
		if (validity.suspended(this.clock)) {
			return LossCause.PROCESS_SUSPENDED;
		}
		return hold.isRenewedByWatchdog() ? LossCause.STORE_SILENT : LossCause.LEASE_EXPIRED;
	}

	/** The store answered to a release that it no longer knew the lock. */
	private void notifyGone(Hold hold, LossCause cause, Duration held, boolean released) {
		hold.markLostAfterEnd(cause);
		notifyLost(hold, cause, switch (cause) {
			case FORGOTTEN, SESSION_LOST -> "the store no longer knew it when it was released";
			case LEASE_EXPIRED, STORE_SILENT -> "its lease expired before its release arrived in the store";
			default -> cause.description();
		}, held, released);
	}

	private void warnUnanswered(Hold hold) {
		logger.warn("The release of lock '" + hold.key() + "' has not been acknowledged by the store and "
				+ (this.stopped
						? "is not repeated, since the registry has been shut down: the lock ends with its "
								+ (hold.validity().sessionBound() ? "session" : "lease")
						: "continues in the background"));
	}

	@Override
	public void confirm(Hold hold) {
		this.renewer.confirm(hold);
	}

	/** Remove a lock from those of the calling thread. */
	void forgetOfThisThread(Hold hold) {
		this.holdsOfThread.remove(hold);
	}

	static LockLostException lostException(Hold hold) {
		return lostException(hold, "while it was held");
	}

	private static LockLostException lostException(Hold hold, String when) {
		LossCause cause = hold.lossCause();
		return new LockLostException("Lock '" + hold.key() + "' (token " + hold.holder().fencingToken() + ") was lost "
				+ when + ((cause != null) ? ": " + cause.description() : "")
				+ ". Another caller may have held it in the meantime: check or undo the work that was done under it"
				+ ((cause != null) ? ". " + cause.remedy() : ""), cause, null);
	}

	@Override
	public void lost(Hold hold, LossCause cause, String reason) {
		this.renewer.forget(hold);
		this.acquirer.releases().releaseAsync(hold.holder(), hold.validity());
		if (this.interruptOnLost) {
			hold.interruptThread();
		}
		notifyLost(hold, cause, reason, heldSince(hold), false);
		runLossCallbacks(hold);
	}

	@Override
	public void renewed(int renewed, int gone, int failed, Duration lateness) {
		this.listeners.onRenewed(new LockListener.Renewed(this.backend, renewed, gone, failed, lateness));
	}

	/**
	 * If the lock is kept it goes back, and the answer to its release reports the loss.
	 * If another caller has entered under the grant already, the store is asked again.
	 */
	@Override
	public void refusedAfterEnd(Lease lease) {
		if (lease instanceof Hold hold && hold.holder().isKeepable()) {
			this.acquirer.releases().asked(hold.ticket(), null);
			this.renewer.renewNow(List.of(hold.ticket()));
		}
	}

	private void notifyLost(Hold hold, LossCause cause, String reason, Duration held, boolean released) {
		logger.warn("Lost lock '" + hold.key() + "' (" + hold.name() + ", token " + hold.holder().fencingToken() + "): "
				+ reason + ". " + cause.remedy());
		this.listeners.onLost(new LockListener.Lost(this.backend, hold.name(), hold.key(), hold.holder().fencingToken(),
				held, reason, cause, released));
	}

	/**
	 * Run the loss callbacks on the callback threads. A callback that fails does not
	 * prevent the others.
	 */
	private void runLossCallbacks(Hold lost) {
		for (Runnable callback : lost.takeLossCallbacks()) {
			this.acquirer.callBack(() -> {
				try {
					callback.run();
				}
				catch (Throwable ex) {
					logger.error("A callback for the loss of lock '" + lost.key() + "' failed", ex);
				}
			});
		}
	}

	private static Duration heldSince(Hold hold) {
		return Duration.ofNanos(hold.heldNanos());
	}

	/**
	 * A release that the caller does not wait for. The caller has been told that the lock
	 * is released, so only listeners and the log learn that it had been lost.
	 */
	private final class UnawaitedRelease implements ReleaseObserver {

		private final Hold hold;

		private final Duration held;

		UnawaitedRelease(Hold hold) {
			this.hold = hold;
			this.held = heldSince(hold);
		}

		@Override
		public void gone() {
			LossCause cause = causeOfGone(this.hold);
			HeldLocks.this.acquirer.callBack(() -> notifyGone(this.hold, cause, this.held, true));
		}

		@Override
		public void unanswered() {
			warnUnanswered(this.hold);
		}

	}

}
