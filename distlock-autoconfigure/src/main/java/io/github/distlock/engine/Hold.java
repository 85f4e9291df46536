package io.github.distlock.engine;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLongFieldUpdater;
import java.util.concurrent.atomic.AtomicReferenceFieldUpdater;
import java.util.function.UnaryOperator;

import io.github.distlock.HandOff;
import io.github.distlock.LockDefinitionException;
import io.github.distlock.LockMode;
import io.github.distlock.LossCause;
import io.github.distlock.backend.Grant;
import io.github.distlock.backend.RenewalResult;
import io.github.distlock.backend.StoredLock.StoredHolder;
import io.github.distlock.backend.Ticket;
import io.github.distlock.backend.Validity;
import io.github.distlock.environment.EngineEnvironment.Invariants;
import org.jspecify.annotations.Nullable;

/**
 * A lock that a caller holds, from the grant or hand-off to its release or its loss. The
 * key makes it, and it passes from there to the caller unchanged. All re-entries share
 * it. Several holds may follow each other under one grant of the store. Compared by
 * identity. Thread-safe.
 * <p>
 * <b>Phases.</b> {@link HoldPhase} lists them. The phase, the cause of a loss and the
 * callbacks for it are one {@link HoldState}, and only atomic updates change it: so the
 * first change decides whether the lock was released or lost.
 * <p>
 * <b>Invariants.</b> {@link HoldState} checks each change, in tests.
 * <ul>
 * <li>After a query has answered that the lock is not held, it is never held again. A
 * query that finds the lease expired therefore changes the phase to
 * {@link HoldPhase#EXPIRED}, and that has no other effect. The scan of the
 * {@link LeaseRenewer}, a close, or an answer of the store reports the loss. A renewal
 * that is acknowledged later extends the validity, but does not change the phase.</li>
 * <li>The first change that ends the hold is the only one: a lock that was released or
 * lost is not open again, and a loss that was reported does not change.</li>
 * </ul>
 * <p>
 * <b>Time.</b> The {@link HoldLease} knows until when the lease lasts.
 * <p>
 * Fields are updated through field updaters: a JVM may hold very many locks.
 */
public final class Hold extends LiveTicket implements WaitOutcome {

	private static final AtomicReferenceFieldUpdater<Hold, HoldState> STATE = AtomicReferenceFieldUpdater
		.newUpdater(Hold.class, HoldState.class, "state");

	private static final AtomicLongFieldUpdater<Hold> LEVELS = AtomicLongFieldUpdater.newUpdater(Hold.class, "levels");

	/**
	 * Initializes their classes before the first loss: an initializer that finds no
	 * memory makes its class useless for the rest of the JVM's life.
	 */
	static final List<Object> USED_BY_LOSSES = List.of(LossCause.LEASE_EXPIRED, LossEvidence.TIME);

	/** One more acquisition through a {@link java.util.concurrent.locks.Lock} view. */
	private static final long VIEW = 1L << Integer.SIZE;

	/** Its caller may be between leaving the last level and the release. */
	private static final int MOST_UNUSED_SWEEPS = 3;

	/** A thread interrupts the owning thread: the last level is not left meanwhile. */
	private static final long INTERRUPTING = 1L << 62;

	private final HoldContext context;

	private final String label;

	/**
	 * The thread that may re-enter the lock; {@code null} if it was acquired
	 * asynchronously.
	 */
	private final @Nullable Thread thread;

	/** The first and the last token of the grant. */
	private final long grantToken;

	final long lastToken;

	/** How many holds under the same grant came before this one. */
	final int handOffs;

	private final HandOff handOff;

	/** Until when the lease lasts, and its renewal. */
	final HoldLease holdLease;

	private volatile HoldState state = HoldState.GRANTED;

	/**
	 * How many acquisitions are open, in the lower half. Never increases again after
	 * zero. How many of them came through a {@link java.util.concurrent.locks.Lock} view,
	 * in the upper half, and {@link #INTERRUPTING}.
	 */
	private volatile long levels;

	/**
	 * Create the hold of a caller that has not taken it over yet.
	 * @param before the ticket that waited for the grant, or the hold before this one
	 * @param grant the grant, with its current validity
	 * @param label the name for messages
	 * @param ofView whether a {@link java.util.concurrent.locks.Lock} view has asked
	 */
	Hold(LiveTicket before, Grant grant, HoldContext context, String label, LeaseTerms terms, @Nullable Thread thread,
			boolean ofView) {
		super(before.ticket, before.attemptUnanswered, terms.storeLease());
		this.context = context;
		this.label = label;
		this.thread = thread;
		this.grantToken = grant.firstToken();
		this.lastToken = grant.lastToken();
		this.timed = grant.timed();
		this.handOffs = (before instanceof Hold earlier) ? earlier.handOffs + 1 : 0;
		this.handOff = before.nextHandOff();
		this.levels = ofView ? VIEW + 1 : 1;
		this.holdLease = new HoldLease(this, grant.validity(), terms);
	}

	/** Return the grant for the hold that follows this one. */
	Grant currentGrant() {
		return new Grant(this.grantToken, this.lastToken, validity());
	}

	@Override
	HandOff nextHandOff() {
		return HandOff.LOCAL;
	}

	@Override
	public boolean equals(@Nullable Object other) {
		return this == other;
	}

	/** The same in each run of a simulation: holds are iterated in sets. */
	@Override
	public int hashCode() {
		return Long.hashCode(this.ticket.number());
	}

	@Override
	StoredHolder blockedBy() {
		return new StoredHolder(this.ticket.instance(), mode(), null, null, this.grantToken);
	}

	/**
	 * {@return what releases this hold}
	 */
	public HoldContext context() {
		return this.context;
	}

	/**
	 * {@return the key}
	 */
	public String key() {
		return this.ticket.key();
	}

	/**
	 * {@return the name for messages}
	 */
	public String label() {
		return this.label;
	}

	/**
	 * {@return the thread that may re-enter the lock, if there is one}
	 */
	public @Nullable Thread thread() {
		return this.thread;
	}

	/**
	 * {@return the mode in which the store has granted the lock}
	 */
	public LockMode mode() {
		return this.ticket.mode();
	}

	/**
	 * {@return how many callers may hold the lock at once, 0 without a limit}
	 */
	public int permits() {
		return this.ticket.permits();
	}

	/**
	 * {@return how the lock was passed to the caller}
	 */
	public HandOff handOff() {
		return this.handOff;
	}

	/**
	 * {@return the fencing token: higher than those of all holds before this one}
	 */
	public long fencingToken() {
		return this.grantToken + this.handOffs;
	}

	/**
	 * Return the first fencing token of the grant, which is the same for all holds that
	 * follow each other under it.
	 * @return the token
	 */
	public long grantToken() {
		return this.grantToken;
	}

	// Levels

	/**
	 * Add a level.
	 * @param mode the mode in which it is requested
	 * @param ofView whether a {@link java.util.concurrent.locks.Lock} view asks
	 * @return whether the hold was still open
	 * @throws LockDefinitionException if a reader would wait for itself
	 */
	public boolean reenter(LockMode mode, boolean ofView) {
		if (this.ticket.isReader() && mode != LockMode.READ && !isOver()) {
			throw new LockDefinitionException("Lock '" + key() + "' was requested in mode " + mode
					+ " by a caller that holds it in mode READ: it would wait for itself. Acquire WRITE first and READ"
					+ " inside it, or close the READ lock before");
		}
		long more = ofView ? VIEW + 1 : 1;
		return (int) LEVELS.getAndUpdate(this, (open) -> ((int) open > 0) ? open + more : open) > 0;
	}

	/**
	 * Leave one level. Waits for an interrupt that has begun.
	 * @param ofView whether it came through a {@link java.util.concurrent.locks.Lock}
	 * view
	 * @return whether it was the last one, so that the caller ends the hold
	 */
	public boolean leaveLevel(boolean ofView) {
		if ((int) LEVELS.addAndGet(this, ofView ? -VIEW - 1 : -1) > 0) {
			return false;
		}
		while ((this.levels & INTERRUPTING) != 0) {
			Thread.onSpinWait();
		}
		return true;
	}

	/**
	 * Return whether a level came through a {@link java.util.concurrent.locks.Lock} view.
	 * @return whether only the owning thread can leave all levels
	 */
	public boolean hasView() {
		return (this.levels & ~INTERRUPTING) >= VIEW;
	}

	boolean hasDeadOwner() {
		return hasView() && this.thread != null && !this.thread.isAlive();
	}

	/**
	 * {@return how many acquisitions are open}
	 */
	public int levels() {
		return (int) this.levels;
	}

	/**
	 * {@return whether all levels have been left}
	 */
	public boolean isOver() {
		return levels() == 0;
	}

	/**
	 * Interrupt the owning thread because of a loss, unless it has left the last level.
	 * Invariant: no interrupt arrives after the release of the last level has returned.
	 */
	void interruptThread() {
		Thread owner = this.thread;
		if (owner != null && (LEVELS.updateAndGet(this, (open) -> ((int) open > 0) ? open | INTERRUPTING : open)
				& INTERRUPTING) != 0) {
			try {
				owner.interrupt();
			}
			finally {
				LEVELS.updateAndGet(this, (open) -> open & ~INTERRUPTING);
			}
		}
	}

	// Phases

	/** The caller takes the lock over: until then, the key releases it if it expires. */
	void takeOver() {
		this.holdLease.start();
		if (!STATE.compareAndSet(this, HoldState.GRANTED, HoldState.HELD)) {
			this.state = new HoldState(HoldPhase.EXPIRED, causeOfLoss(LossEvidence.TIME), List.of());
		}
	}

	/**
	 * Return whether the lock is held and its lease has not expired. Has no effect
	 * outside this object.
	 * @return whether the lease is valid; after {@code false} never {@code true} again
	 */
	public boolean isValid() {
		return remainingNanos() > 0;
	}

	/**
	 * Return the remaining time of the lease. Has no effect outside this object.
	 * @return nanoseconds, zero if the lock is not held
	 */
	public long remainingNanos() {
		if (!hasLease()) {
			return 0;
		}
		long left = this.holdLease.leftNanos();
		if (left <= 0) {
			LossCause cause = causeOfLoss(LossEvidence.TIME);
			HoldState.update(this, (now) -> now.expired(cause));
			return 0;
		}
		// Read the phase again: the time may come from a renewal that was acknowledged
		// after another query had found the lease expired.
		return hasLease() ? left : 0;
	}

	/**
	 * Check whether the lease has expired, and report the loss if it has.
	 * @return whether the lock is not held: its lease expired, was ended, or was lost
	 */
	boolean checkExpired() {
		if (isValid()) {
			return false;
		}
		lose(causeOfLoss(LossEvidence.TIME));
		return true;
	}

	/**
	 * The holder releases the lock: end the lease, unless the lock was lost.
	 * @return how long the lease would have lasted, in nanoseconds; zero if it was lost
	 */
	long endLease() {
		long left = remainingNanos();
		if (left > 0 && HoldState.update(this, HoldState::ended).phase() == HoldPhase.HELD) {
			this.holdLease.endRisk();
			return left;
		}
		// Report the loss. A query has perhaps found it, here or in the meantime, and
		// reports nothing; after the end nothing else would.
		checkExpired();
		return 0;
	}

	/**
	 * After the last level was left: retain the lock for its minimum hold time. Its lease
	 * goes on without a caller, and a later loss concerns none.
	 * @return whether the lock was not lost before
	 */
	boolean retain() {
		boolean retained = isValid() && HoldState.update(this, HoldState::retained).phase() == HoldPhase.HELD;
		this.holdLease.endRisk();
		return retained;
	}

	/**
	 * Report the loss, and let the key release what is left of the lock in the store,
	 * unless the lease has ended. If a query found the lease expired before, that is the
	 * cause.
	 * @return whether the lease had not ended
	 */
	boolean lose(LossCause cause) {
		// First: if the report fails, the loss stays to be reported.
		HoldState.update(this, (now) -> now.expired(cause));
		HoldState before = STATE.getAndUpdate(this, (now) -> now.lost(cause));
		boolean open = before.phase().isOpen();
		if (open) {
			boolean reported = false;
			try {
				this.holdLease.endRisk();
				this.context.lost(this, before.phase(), before.callbacks());
				reported = true;
			}
			finally {
				if (!reported && before.phase() == HoldPhase.EXPIRED) {
					// There is no memory, for example: the next scan tries again.
					this.state = before;
				}
			}
			this.context.forget(this);
			this.context.drop(this);
		}
		return open;
	}

	/**
	 * The lock was already lost when the lease ended. Reports nothing.
	 * @return the callbacks that are to be called
	 */
	List<Runnable> loseAfterEnd(LossCause cause) {
		return HoldState
			.update(this, (now) -> now.phase().isOpen() ? now : new HoldState(HoldPhase.LOST, cause, List.of()))
			.callbacks();
	}

	/**
	 * The caller wants the lock no longer, and does not release it itself. A loss is
	 * still reported.
	 */
	void leave() {
		HoldState.update(this,
				(now) -> (now.phase() == HoldPhase.LOST || now.phase() == HoldPhase.EXPIRED) ? now : HoldState.LEFT);
		this.holdLease.endRisk();
	}

	/**
	 * Whether the key has to release the lock: no caller does, or reports its end. A
	 * grant or a retained lock that has expired is left then, and a lock whose release an
	 * error has interrupted, after some sweeps.
	 */
	boolean isAbandoned() {
		if (this.holdLease.leftNanos() <= 0) {
			HoldState.update(this, HoldState::leftIfUnused);
		}
		if (isOver() && phase() != HoldPhase.RETAINED && ++this.unusedSweeps >= MOST_UNUSED_SWEEPS) {
			leave();
		}
		return this.state.phase() == HoldPhase.LEFT || this.state.phase() == HoldPhase.LOST;
	}

	/** Whether the lease goes on, as far as is known without a clock. */
	boolean hasLease() {
		return this.state.phase().hasLease();
	}

	/**
	 * Return whether the lease is valid, or was valid when it ended. Has no effect.
	 * @return whether it was not lost
	 */
	public boolean isIntact() {
		// Read the time first: the lease may end between the two reads.
		boolean inTime = this.holdLease.leftNanos() > 0;
		HoldPhase now = this.state.phase();
		return now.hasLease() ? inTime : now.isReleased();
	}

	/**
	 * Return whether the lock is likely to be lost soon: its renewal failed or was not
	 * answered, and less than half of its lease is left. Has no effect.
	 * @return whether the lock is held and at risk
	 */
	public boolean isAtRisk() {
		return phase() == HoldPhase.HELD && this.holdLease.isAtRisk();
	}

	HoldPhase phase() {
		return this.state.phase();
	}

	/**
	 * Return the cause of the loss or of the expiry.
	 * @return the cause, {@code null} if the lease is neither lost nor expired
	 */
	public @Nullable LossCause lossCause() {
		return this.state.cause();
	}

	/**
	 * Add a callback for the loss.
	 * @param action the callback
	 * @return whether it was added; {@code false} if the loss has been reported
	 */
	public boolean addLossCallback(Runnable action) {
		return HoldState.update(this, (now) -> now.with(action)).phase() != HoldPhase.LOST;
	}

	/**
	 * Return why the lock is lost, as far as clocks and the store show it. No other place
	 * decides that.
	 * @param evidence how the loss was found
	 */
	LossCause causeOfLoss(LossEvidence evidence) {
		boolean refused = evidence != LossEvidence.TIME;
		if (refused && this.context.isEnded(this)) {
			return LossCause.RELEASED_BY_OPERATOR;
		}
		if (evidence == LossEvidence.TAKEN_OVER) {
			return LossCause.TAKEN_OVER;
		}
		Validity validity = validity();
		if (refused && !validity.hasPassed(this.context.clock())) {
			return LossCause.FORGOTTEN;
		}
		if (validity.suspended(this.context.clock())) {
			return LossCause.PROCESS_SUSPENDED;
		}
		LeaseTerms terms = this.holdLease.terms;
		if (terms.hasPassed(heldNanos())) {
			return terms.renewed() ? LossCause.MAX_HOLD_TIME : LossCause.LEASE_EXPIRED;
		}
		if (validity.sessionBound()) {
			return LossCause.SESSION_LOST;
		}
		boolean silent = evidence == LossEvidence.RELEASE_REFUSED || this.holdLease.isUnanswered();
		if (terms.renewed()) {
			// The watchdog asks after a third of the lease. If it has not asked, this
			// process was suspended.
			return silent ? LossCause.STORE_SILENT : LossCause.PROCESS_SUSPENDED;
		}
		return (silent && this.holdLease.isNeeded()) ? LossCause.STORE_SILENT : LossCause.LEASE_EXPIRED;
	}

	// Time

	/**
	 * Return until when the grant of the store counts, whatever the phase.
	 * @return the validity after the last renewal
	 */
	public Validity validity() {
		return this.holdLease.validity;
	}

	/**
	 * The longest lease that the store was asked for: for the ticket, or by a renewal,
	 * which it may have executed although it has not answered.
	 */
	long storeLeaseNanos() {
		return Math.max(this.lease.toNanos(), this.holdLease.terms.storeLease().toNanos());
	}

	/**
	 * {@return when the hold began, by the monotonic clock}
	 */
	public long startNanos() {
		return this.holdLease.startNanos;
	}

	/**
	 * {@return the nanoseconds since then}
	 */
	public long heldNanos() {
		return this.holdLease.heldNanos();
	}

	/**
	 * {@return how many renewals have succeeded}
	 */
	public int renewals() {
		return this.holdLease.count;
	}

	/**
	 * How a loss was found.
	 */
	enum LossEvidence {

		/** The lease has expired by the clocks of this JVM. */
		TIME,

		/** The store refused a renewal, since another holder has the lock. */
		TAKEN_OVER,

		/** The store refused a renewal, since it does not know this holder. */
		RENEWAL_REFUSED,

		/** The store no longer knew this holder when it was asked to release it. */
		RELEASE_REFUSED;

		static LossEvidence of(RenewalResult.Gone answer) {
			return answer.takenOver() ? TAKEN_OVER : RENEWAL_REFUSED;
		}

	}

	/**
	 * The phases of a hold.
	 */
	public enum HoldPhase {

		/** The caller has not taken the lock over. */
		GRANTED,

		/** The caller holds the lock. */
		HELD,

		/** The caller has released it, and its minimum hold time has not passed. */
		RETAINED,

		/** A query has found the lease expired. The loss has not been reported. */
		EXPIRED,

		/** The holder has ended the lease, and releases the lock in the store. */
		ENDED,

		/** No caller wants the lock, and the key releases it. */
		LEFT,

		/** The loss was reported, and the key releases what is left in the store. */
		LOST;

		/** Whether the lease goes on. */
		boolean hasLease() {
			return this == GRANTED || this == HELD || this == RETAINED;
		}

		/** Whether its caller has ended it, so that no loss is reported any more. */
		boolean isReleased() {
			return this == ENDED || this == LEFT;
		}

		/** Whether it has neither ended nor been reported as lost. */
		boolean isOpen() {
			return hasLease() || this == EXPIRED;
		}

	}

	/**
	 * The outcome of a release.
	 */
	public enum ReleaseOutcome {

		/** The store has released the lock. */
		RELEASED,

		/** The next waiter of this JVM holds the lock, without a command. */
		HANDED_OFF,

		/** The store no longer knew this holder: the lock had been lost. */
		GONE,

		/** The store has not answered in time. The release goes on in the background. */
		UNANSWERED

	}

	/**
	 * The state of a hold, and its changes. A change that is not allowed changes nothing.
	 *
	 * @param cause of the loss or of the expiry
	 * @param callbacks to call after a loss
	 */
	private record HoldState(HoldPhase phase, @Nullable LossCause cause, List<Runnable> callbacks) {

		private static final HoldState GRANTED = new HoldState(HoldPhase.GRANTED, null, List.of());

		private static final HoldState HELD = new HoldState(HoldPhase.HELD, null, List.of());

		private static final HoldState RETAINED = new HoldState(HoldPhase.RETAINED, null, List.of());

		private static final HoldState ENDED = new HoldState(HoldPhase.ENDED, null, List.of());

		private static final HoldState LEFT = new HoldState(HoldPhase.LEFT, null, List.of());

		static HoldState update(Hold hold, UnaryOperator<HoldState> change) {
			HoldState before = STATE.getAndUpdate(hold, change);
			Invariants invariants = hold.context.invariants();
			if (invariants != null) {
				change.apply(before).check(invariants, before, hold.ticket);
			}
			return before;
		}

		/** Check the invariants of the change to this state. */
		private void check(Invariants invariants, HoldState before, Ticket ticket) {
			boolean mayChange = before.phase != HoldPhase.LOST || this == before;
			invariants.check(before.phase.hasLease() || !this.phase.hasLease(), "What is not held is never held again",
					ticket);
			invariants.check(before.phase.isOpen() || (!this.phase.isOpen() && mayChange),
					"The first end of a hold is its only one", ticket);
		}

		HoldState expired(LossCause found) {
			return (this.phase == HoldPhase.HELD) ? new HoldState(HoldPhase.EXPIRED, found, this.callbacks) : this;
		}

		HoldState leftIfUnused() {
			return (this.phase == HoldPhase.GRANTED || this.phase == HoldPhase.RETAINED) ? LEFT : this;
		}

		HoldState retained() {
			return (this.phase == HoldPhase.HELD) ? RETAINED : this;
		}

		/** The release may still find that the lock was lost before. */
		HoldState ended() {
			if (this.phase != HoldPhase.HELD) {
				return this;
			}
			return this.callbacks.isEmpty() ? ENDED : new HoldState(HoldPhase.ENDED, null, this.callbacks);
		}

		/** The end of a retained lock is no loss. */
		HoldState lost(LossCause found) {
			// Not a switch, which would have a class with an initializer.
			if (this.phase == HoldPhase.RETAINED) {
				return LEFT;
			}
			return this.phase.isOpen()
					? new HoldState(HoldPhase.LOST, (this.phase == HoldPhase.EXPIRED) ? this.cause : found, List.of())
					: this;
		}

		HoldState with(Runnable callback) {
			if (this.phase == HoldPhase.RETAINED || this.phase == HoldPhase.LEFT || this.phase == HoldPhase.LOST) {
				return this;
			}
			List<Runnable> all = new ArrayList<>(this.callbacks);
			all.add(callback);
			return new HoldState(this.phase, this.cause, all);
		}

	}

}
