package io.github.distlock.registry;

import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Stream;

import io.github.distlock.LockBackendException;
import io.github.distlock.LockDefinitionException;
import io.github.distlock.LockListener;
import io.github.distlock.LockLostException;
import io.github.distlock.LockRequest;
import io.github.distlock.LossCause;
import io.github.distlock.backend.BackendDescription;
import io.github.distlock.backend.Ticket;
import io.github.distlock.backend.TimeSource;
import io.github.distlock.backend.Validity;
import io.github.distlock.registry.Caller.Callers;
import io.github.distlock.registry.RegistrySettings.ReleaseMode;
import io.github.distlock.registry.RegistrySnapshot.HeldLockSnapshot;
import io.github.distlock.engine.LeaseRenewer;
import io.github.distlock.engine.LeaseRenewer.RenewalListener;
import io.github.distlock.engine.LeaseTerms;
import io.github.distlock.engine.Holder;
import io.github.distlock.engine.Holder.ReleaseOutcome;
import io.github.distlock.engine.KeySnapshot.UnfinishedWork;
import io.github.distlock.engine.KeyTable;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * The locks that this JVM holds: which thread holds which lock, how a lock is released,
 * and what follows the loss of a lock.
 * <p>
 * A lock is added after its grant, and then owned by the thread that acquired it, or by
 * none. It leaves in one of two ways. Its last level is released: its lease ends and the
 * lock is released in the store, or retained for its minimum hold time: its lease goes on
 * without a caller, and at its end the lock is released. It is lost: the lease reports
 * that once, the listeners and callbacks are notified, and each later close of a level
 * throws {@link LockLostException}.
 * <p>
 * The first change of the state of a {@link Hold} or of its lease decides between these
 * ways, so no lock is held here during a command to the store. Thread-safe.
 */
final class HeldLocks implements RenewalListener {

	private static final Log logger = LogFactory.getLog(HeldLocks.class);

	private static final int MOST_ENDED_GRANTS = 1000;

	/**
	 * The locks of each thread, lost ones included, by their keys. Shared by all runs of
	 * the registry, so that a thread finds its lock after a shutdown. A class of the JDK:
	 * one of this library would keep the class loader of an application alive in the
	 * threads of a pool.
	 */
	private final ThreadLocal<Map<String, Hold>> holdsOfThread;

	private final String backend;

	private final KeyTable keys;

	private final LeaseRenewer renewer;

	private final LockListeners listeners;

	private final TimeSource clock;

	private final RegistrySettings settings;

	/** Whether leases end locks in the store. */
	private final boolean expiring;

	/**
	 * The first token of each grant that an operator has ended lately, by the number of
	 * its ticket. The report of the store may come before the lock is added, and a
	 * refused renewal or release asks here for its cause. Almost always empty.
	 */
	private final Map<Long, Long> endedGrants = new ConcurrentHashMap<>();

	private volatile boolean stopped;

	HeldLocks(BackendDescription backend, KeyTable keys, Function<RenewalListener, LeaseRenewer> renewerFactory,
			LockListeners listeners, TimeSource clock, RegistrySettings settings,
			ThreadLocal<Map<String, Hold>> holdsOfThread) {
		this.backend = backend.name();
		this.expiring = backend.expires();
		this.keys = keys;
		this.renewer = renewerFactory.apply(this);
		this.listeners = listeners;
		this.clock = clock;
		this.settings = settings;
		this.holdsOfThread = holdsOfThread;
	}

	LeaseRenewer renewer() {
		return this.renewer;
	}

	/**
	 * Renew nothing from now on. What the store has not answered is not repeated. If no
	 * lease ends the locks in the store, those in their minimum hold time are released
	 * before it has passed.
	 * @return whether there were any
	 */
	boolean stop() {
		this.stopped = true;
		this.renewer.stop();
		List<Hold> retained = this.expiring ? List.of() : leases().filter(Hold::isRetained).toList();
		retained.forEach((hold) -> hold.lose(LossCause.LEASE_EXPIRED));
		return !retained.isEmpty();
	}

	/** Return which work is unfinished, except locks in their minimum hold time. */
	UnfinishedWork unfinished() {
		List<Ticket> retained = leases().filter(Hold::isRetained).map(Hold::ticket).toList();
		return (this.renewer.size() > retained.size()) ? UnfinishedWork.HELD_LOCKS
				: this.keys.unfinishedWorkExcept(retained);
	}

	/** Return the lock of a key that the calling thread holds. */
	@Nullable Hold holdOfThisThread(String key) {
		return this.holdsOfThread.get().get(key);
	}

	/** Return how many locks the calling thread holds, lost ones included. */
	int numberOfThisThread() {
		return this.holdsOfThread.get().size();
	}

	/** Return the locks that are held now, the one that is held longest first. */
	List<HeldLockSnapshot> snapshot(Callers callers) {
		Map<String, Integer> waiting = callers.waitingByKey();
		// By their start: ages that are read one after the other are not in order.
		return holds().sorted(Comparator.comparingLong(Hold::startNanos))
			.map((hold) -> HeldLockSnapshot.of(hold, this.clock.wallMillis(), waiting.getOrDefault(hold.key(), 0)))
			.toList();
	}

	private Stream<Hold> leases() {
		return this.renewer.leases().stream().map(Hold.class::cast);
	}

	/** Return the locks that callers hold. */
	private Stream<Hold> holds() {
		return leases().filter((hold) -> !hold.isRetained());
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

	TimeSource clock() {
		return this.clock;
	}

	/** Return whether an operator has ended the grant under which a lock is held. */
	boolean isEnded(Hold hold) {
		return !this.endedGrants.isEmpty()
				&& Objects.equals(this.endedGrants.get(hold.ticket().number()), hold.holder().grantToken());
	}

	/**
	 * Add a lock that has just been granted. If that fails, release it.
	 * @param thread the thread that may re-enter the lock, if any
	 * @param endsWithThread whether the lock is lost when that thread dies
	 */
	Hold add(LockRequest request, Holder holder, LeaseTerms terms, @Nullable Thread thread, boolean endsWithThread) {
		Hold hold = null;
		try {
			hold = new Hold(this, request.label(), holder, terms, thread, endsWithThread);
			this.renewer.watch(hold);
			if (thread != null) {
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
			return hold;
		}
		catch (RuntimeException | Error ex) {
			if (hold != null) {
				this.renewer.forget(hold);
			}
			this.keys.releaseAsync(holder);
			throw ex;
		}
	}

	/**
	 * Limit the time for which a lock is held from now on.
	 * @throws LockLostException if the lock was lost
	 * @throws LockDefinitionException if the minimum hold time is longer
	 */
	void expireAfter(Hold hold, Duration leaseTime) {
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

	/**
	 * Release one level.
	 * @throws LockLostException if the lock was lost
	 */
	void release(Hold hold) {
		release(hold, hold.remainingMinHold());
	}

	/**
	 * Release one level of a lock under which no work was done.
	 * @throws LockLostException if the lock was lost
	 */
	void abandon(Hold hold) {
		release(hold, Duration.ZERO);
	}

	private void release(Hold hold, Duration remainingMinHold) {
		if (hold.leaveLevel()) {
			endHold(hold, remainingMinHold);
		}
		else if (hold.checkExpired() && hold.lossCause() != null) {
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
			if (remainingMinHold.isZero() || !retain(hold, remainingMinHold)) {
				long remainingNanos = hold.endLease();
				valid = remainingNanos > 0;
				this.renewer.forget(hold);
				if (!valid) {
					throw lostException(hold);
				}
				releaseInStore(hold, Duration.ofNanos(remainingNanos));
			}
		}
		catch (LockBackendException | Error ex) {
			// No effect if it has left. Otherwise nothing would ever let it leave, and
			// its next renewal would report a loss.
			this.renewer.forget(hold);
			this.keys.releaseAsync(hold.holder(), hold.validity());
			if (valid) {
				notifyReleased(hold);
			}
			throw ex;
		}
		notifyReleased(hold);
	}

	/**
	 * Retain a lock until its minimum hold time has passed.
	 * @return whether it is retained; otherwise it was lost
	 */
	private boolean retain(Hold hold, Duration remainingMinHold) {
		if (!hold.isValid() || !hold.retain()) {
			return false;
		}
		this.renewer.expireAfter(hold, remainingMinHold);
		if (this.stopped && !this.expiring) {
			// After the lock was retained: either this thread or stop() finds it.
			hold.lose(LossCause.LEASE_EXPIRED);
		}
		return true;
	}

	private void notifyReleased(Hold hold) {
		if (!this.listeners.isEmpty()) {
			LockListener.Released event = new LockListener.Released(this.backend, hold.label(), hold.key(),
					hold.holder().fencingToken(), heldSince(hold));
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
			this.keys.callBack(() -> this.listeners.notifyEach(event));
		}
	}

	private void releaseInStore(Hold hold, Duration remaining) {
		boolean background = this.settings.release() == ReleaseMode.BACKGROUND && !hold.hasMinHold();
		ReleaseOutcome outcome = this.keys.release(hold.holder(), hold.validity(), remaining, background ? hold : null);
		if (outcome == ReleaseOutcome.GONE) {
			LossCause cause = causeOfGone(hold);
			hold.markLostAfterEnd(cause);
			notifyLost(hold, cause, false);
			runCallbacks(hold, hold.takeLossCallbacks());
			throw lostException(hold, "before its release arrived in the store");
		}
		if (outcome == ReleaseOutcome.UNANSWERED) {
			warnUnanswered(hold);
		}
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

	/**
	 * The store answered to a release that no caller waited for that the lock had been
	 * lost. The caller has been told that it is released, so only listeners and the log
	 * learn it.
	 */
	void goneAfterRelease(Hold hold) {
		LossCause cause = causeOfGone(hold);
		hold.markLostAfterEnd(cause);
		// Not here: this may be the thread of the driver, or that of the next caller.
		this.keys.callBack(() -> notifyLost(hold, cause, true));
	}

	/** The store has not answered to a release, which is repeated. */
	void warnUnanswered(Hold hold) {
		logger.warn("The release of lock '" + hold.key() + "' has not been acknowledged by the store and "
				+ (this.stopped
						? "is not repeated, since the registry has been shut down: the lock ends with its "
								+ (hold.validity().sessionBound() ? "session" : "lease")
						: "continues in the background"));
	}

	/** Ask the store, if only the store knows whether a lock is held. */
	boolean confirm(Hold hold) {
		return this.renewer.confirm(hold);
	}

	/** Remove a lock from those of the calling thread, but no other one of its key. */
	void forgetOfThisThread(Hold hold) {
		this.holdsOfThread.get().remove(hold.key(), hold);
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

	/** The lease of a lock has ended. Called once, unless it was released before. */
	void lost(Hold hold, LossCause cause) {
		this.renewer.forget(hold);
		this.keys.releaseAsync(hold.holder(), hold.validity());
		Runnable[] callbacks = hold.takeLossCallbacks();
		if (callbacks == Hold.RETAINED) {
			// Its minimum hold time has passed.
			return;
		}
		if (this.settings.interruptOnLost()) {
			hold.interruptThread();
		}
		notifyLost(hold, cause, false);
		runCallbacks(hold, callbacks);
	}

	@Override
	public void renewed(int renewed, int gone, int failed, Duration lateness) {
		LockListener.Renewed event = new LockListener.Renewed(this.backend, renewed, gone, failed, lateness);
		this.keys.callBack(() -> this.listeners.notifyEach((listener) -> listener.onRenewed(event)));
	}

	private void notifyLost(Hold hold, LossCause cause, boolean released) {
		String reason = cause.description();
		logger.warn("Lost lock '" + hold.key() + "' (" + hold.label() + ", token " + hold.holder().fencingToken()
				+ "): " + reason + ". " + cause.remedy());
		LockListener.Lost event = new LockListener.Lost(this.backend, hold.label(), hold.key(),
				hold.holder().fencingToken(), heldSince(hold), reason, cause, released);
		callListeners(hold, (listener) -> listener.onLost(event));
	}

	/**
	 * Run loss callbacks on the callback threads. A callback that fails does not prevent
	 * the others.
	 */
	private void runCallbacks(Hold lost, Runnable[] callbacks) {
		for (Runnable callback : callbacks) {
			this.keys.callBack(() -> {
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

}
