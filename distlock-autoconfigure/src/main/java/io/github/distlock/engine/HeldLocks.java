package io.github.distlock.engine;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ForkJoinTask;
import java.util.stream.Stream;

import io.github.distlock.LockBackendException;
import io.github.distlock.LockDefinitionException;
import io.github.distlock.LockLostException;
import io.github.distlock.LockMode;
import io.github.distlock.LossCause;
import io.github.distlock.backend.BackendDescription;
import io.github.distlock.backend.ControlledLock.FencedGrant;
import io.github.distlock.backend.LockStore;
import io.github.distlock.backend.Ticket;
import io.github.distlock.backend.TimeSource;
import io.github.distlock.engine.Hold.HoldPhase;
import io.github.distlock.engine.Hold.LossEvidence;
import io.github.distlock.engine.KeySnapshot.UnfinishedWork;
import io.github.distlock.engine.Hold.ReleaseOutcome;
import io.github.distlock.engine.LockEvent.GrantEndEvent;
import io.github.distlock.engine.LockEvent.GrantEvent;
import io.github.distlock.environment.EngineEnvironment;
import io.github.distlock.environment.EngineEnvironment.Invariants;
import io.github.distlock.environment.EngineThreads;
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

	/**
	 * Initializes their classes at the start: an initializer that finds no stack, in a
	 * first call, or no memory, in a first renewal or loss, makes its class useless for
	 * the rest of the JVM's life. Among them are the classes of the JDK for pools and
	 * stages.
	 */
	static final List<Object> USED_LATER = List.of(Hold.USED_BY_LOSSES, WaiterQueue.NONE, PendingReleases.NONE,
			Thread.State.NEW, ForkJoinTask.inForkJoinPool(), List.of(0, 1).subList(0, 1),
			Stream.of(0).mapToLong(Integer::longValue).min());

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

	private final HoldReports reports;

	private final EngineEnvironment environment;

	/** Whether callers do not wait for the store to answer their releases. */
	private final boolean inBackground;

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
		this.reports = new HoldReports(backend.name(), listeners, keys.tasks(), this.renewer::failure, interruptOnLost);
		this.environment = environment;
		this.inBackground = inBackground;
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
		this.keys.tasks().warnings.end();
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
		return this.renewer.holds().stream().filter((hold) -> hold.phase() != HoldPhase.RETAINED);
	}

	private Stream<Hold> retained() {
		return this.renewer.holds().stream().filter((hold) -> hold.phase() == HoldPhase.RETAINED);
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
	public @Nullable FencedGrant fencedGrant(Hold hold) {
		LeaseTerms terms = hold.holdLease.terms;
		return (hold.mode() == LockMode.READ) ? null : new FencedGrant(this.backend.name(), hold.key(),
				hold.fencingToken(), terms.renewed() ? null : terms.lease());
	}

	@Override
	public TimeSource clock() {
		return this.environment.clock();
	}

	@Override
	public @Nullable Invariants invariants() {
		return this.environment.invariants();
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
			if (LockRecording.ON.getAsBoolean()) {
				this.listeners.recording().write(GrantEvent::new, hold, null);
			}
			hold.takeOver();
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

	@Override
	public void drop(Hold hold) {
		hold.leave();
		this.renewer.forgetReleased(hold);
		this.keys.releaseAsync(hold);
	}

	@Override
	public void expireAfter(Hold hold, Duration leaseTime) {
		Duration remainingMinHold = hold.holdLease.remainingMinHold();
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
	public boolean release(Hold hold, boolean last, @Nullable CompletableFuture<Void> closed) {
		return release(hold, last, hold.holdLease.remainingMinHold(), closed);
	}

	@Override
	public boolean abandon(Hold hold, boolean last) {
		return release(hold, last, Duration.ZERO, null);
	}

	private boolean release(Hold hold, boolean last, Duration remainingMinHold,
			@Nullable CompletableFuture<Void> closed) {
		if (last) {
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
				if (!valid) {
					// Perhaps the thread that reports the loss has not come to this yet.
					drop(hold);
					throw lostException(hold);
				}
				recordEnd(hold, "released");
				this.renewer.forget(hold);
				if (!releaseInStore(hold, leftNanos, closed)) {
					return false;
				}
			}
		}
		catch (LockBackendException | Error ex) {
			// No effect if it has left. Otherwise nothing would ever let it leave, and
			// its next renewal would report a loss.
			drop(hold);
			if (valid && hold.isIntact()) {
				notifyReleased(hold);
			}
			throw ex;
		}
		notifyReleased(hold);
		return true;
	}

	/** Before the lock goes to another caller. */
	private void recordEnd(Hold hold, String outcome) {
		if (LockRecording.ON.getAsBoolean()) {
			this.listeners.recording().write(GrantEndEvent::new, hold, outcome);
		}
	}

	private void notifyReleased(Hold hold) {
		if (!this.listeners.isEmpty()) {
			this.reports.released(hold);
		}
	}

	/**
	 * Retain a lock until its minimum hold time has passed.
	 * @return whether it is retained; otherwise it was lost
	 */
	private boolean retain(Hold hold, Duration remainingMinHold) {
		if (!hold.retain()) {
			return false;
		}
		recordEnd(hold, "retained");
		this.renewer.expireAfter(hold, remainingMinHold);
		if (this.stopped && !this.backend.expires()) {
			// After the lock was retained: either this thread or stop() finds it.
			hold.lose(LossCause.LEASE_EXPIRED);
		}
		return true;
	}

	/** Return whether the release has ended; otherwise the future says it later. */
	private boolean releaseInStore(Hold hold, long leftNanos, @Nullable CompletableFuture<Void> closed) {
		boolean awaited = closed == null
				&& (!this.inBackground || hold.holdLease.hasMinHold() || !this.keys.mayReleaseInBackground(hold));
		CompletableFuture<ReleaseOutcome> release = this.keys.release(hold, leftNanos, awaited);
		boolean answered = release.isDone();
		ReleaseOutcome outcome = answered ? release.getNow(ReleaseOutcome.UNANSWERED) : ReleaseOutcome.UNANSWERED;
		if (outcome == ReleaseOutcome.HANDED_OFF) {
			return true;
		}
		if (awaited && outcome == ReleaseOutcome.GONE) {
			throw lostBeforeRelease(hold);
		}
		if (awaited && outcome == ReleaseOutcome.UNANSWERED) {
			this.reports.unanswered(hold, this.stopped);
		}
		if (!awaited || !answered) {
			release.thenAccept((answer) -> TaskRunner.logging(() -> {
				if (!awaited || answer == ReleaseOutcome.GONE) {
					answered(hold, answer, closed);
				}
			}).run());
		}
		return closed == null;
	}

	/** Report that the lock had been lost when its release arrived in the store. */
	private LockLostException lostBeforeRelease(Hold hold) {
		List<Runnable> callbacks = hold.loseAfterEnd(hold.causeOfLoss(LossEvidence.RELEASE_REFUSED));
		this.reports.lost(hold, false, callbacks);
		return lostException(hold, "before its release arrived in the store");
	}

	/**
	 * If the store answers that the lock had been lost, its caller has already returned:
	 * only listeners and the log report it.
	 */
	void answered(Hold hold, ReleaseOutcome outcome, @Nullable CompletableFuture<Void> closed) {
		// Not here: this may be the thread of the driver, or that of the next caller.
		if (closed != null) {
			this.keys.tasks().callBack(() -> complete(closed, hold, outcome));
		}
		else if (outcome == ReleaseOutcome.UNANSWERED) {
			this.reports.unanswered(hold, this.stopped);
		}
		else if (outcome == ReleaseOutcome.GONE) {
			hold.loseAfterEnd(hold.causeOfLoss(LossEvidence.RELEASE_REFUSED));
			this.keys.tasks().callBack(() -> this.reports.lost(hold, true, List.of()));
		}
	}

	/** Complete the future in any case: its caller waits, perhaps without a limit. */
	private void complete(CompletableFuture<Void> closed, Hold hold, ReleaseOutcome outcome) {
		try {
			if (outcome == ReleaseOutcome.GONE) {
				throw lostBeforeRelease(hold);
			}
			if (outcome == ReleaseOutcome.UNANSWERED) {
				this.reports.unanswered(hold, this.stopped);
			}
			notifyReleased(hold);
			closed.complete(null);
		}
		catch (RuntimeException | Error ex) {
			closed.completeExceptionally(ex);
		}
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
		if (before != HoldPhase.RETAINED) {
			recordEnd(hold, "lost");
			this.reports.lost(hold, false, callbacks);
		}
	}

	@Override
	public void forget(Hold hold) {
		this.renewer.forget(hold);
	}

	@Override
	public void atRisk(Hold hold, CompletableFuture<Void> reported) {
		this.reports.atRisk(hold, reported);
	}

	@Override
	public void riskEnded(Hold hold, CompletableFuture<?> reported) {
		this.reports.riskEnded(hold, reported);
	}

	HoldReports reports() {
		return this.reports;
	}

}
