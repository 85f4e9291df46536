package io.github.distlock.renewal;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;
import java.util.concurrent.atomic.AtomicReferenceFieldUpdater;

import io.github.distlock.LossCause;
import io.github.distlock.backend.LockStore.Renewal;
import io.github.distlock.backend.RenewalResult;
import io.github.distlock.backend.Ticket;
import io.github.distlock.backend.TimeSource;
import io.github.distlock.backend.Validity;
import org.jspecify.annotations.Nullable;

/**
 * The lease of one held lock. It is held, then ended or lost, once: the first change of
 * {@link #state} decides. A renewal that is acknowledged after the deadline revives
 * nothing.
 * <p>
 * Invariant: after a query has answered that the lease is not held, it is never held
 * again. A query that finds the time used up therefore changes the state to
 * {@link #EXPIRED}. That has no other effect: the scan at the deadline, a close or an
 * answer of the store makes the loss known. A renewal that is acknowledged later changes
 * the time that is left, but not the state. Only compare-and-set changes the state. The
 * cause of a loss is part of it, since a held lock has to be small.
 * <p>
 * Who holds extends this class: there may be very many, so a hold and its lease are one
 * object, and fields are updated where they are instead of in an atomic object each.
 */
public abstract class Lease {

	private static final int HELD = 0;

	/** A query has found that the lease has passed. The loss is not known yet. */
	private static final int EXPIRED = 1;

	/** Ended by its holder. */
	private static final int ENDED = 2;

	/** Ended by its holder for a downgrade, during which its time has passed. */
	private static final int EXPIRED_AFTER_END = 3;

	/** Ended by its holder, which holds the lock under another lease. */
	private static final int CONTINUED = 4;

	private static final int LOST = 5;

	/** The lower bits of the state. */
	private static final int KIND_MASK = 7;

	/** The upper bits are the cause of a loss, if any: its ordinal. */
	private static final int CAUSE_SHIFT = 3;

	private static final LossCause[] CAUSES = LossCause.values();

	private static final AtomicIntegerFieldUpdater<Lease> STATE = AtomicIntegerFieldUpdater.newUpdater(Lease.class,
			"state");

	private static final AtomicReferenceFieldUpdater<Lease, LeaseTerms> TERMS = AtomicReferenceFieldUpdater
		.newUpdater(Lease.class, LeaseTerms.class, "terms");

	private static final long MAXIMUM_RETRY_NANOS = Duration.ofSeconds(1).toNanos();

	private static final long OWNER_CHECK_NANOS = Duration.ofSeconds(1).toNanos();

	private static final long MINIMUM_RETRY_NANOS = Duration.ofMillis(5).toNanos();

	private volatile int state = HELD;

	/** Its place in the {@link LeaseSet}, which alone touches it. */
	int index = LeaseSet.NOT_IN_SET;

	/** Replaced by {@link #expireAfter} and by the confirmation of a brief grant. */
	private volatile LeaseTerms terms;

	private final TimeSource clock;

	private final long startNanos;

	/** Only ever replaced by a later one, while the earlier has not passed. */
	private volatile Validity validity;

	/** When to renew next, unless others are renewed shortly before. */
	private volatile long renewAtNanos;

	private volatile boolean renewing;

	/** Whether the last renewal failed and is tried again at a time of its own. */
	private volatile boolean retrying;

	/**
	 * Whether the store gave less than what was asked for, or is in doubt, until a
	 * renewal succeeds.
	 */
	private volatile boolean unconfirmed;

	/**
	 * Whether the store has granted less than the lease, as it does by message. Then the
	 * lease counts from the renewal that confirms the grant.
	 */
	private volatile boolean grantTooShort;

	/**
	 * Begin to hold.
	 * @param validity until when the store has granted it
	 * @param terms how long it may be held
	 * @param clock the time
	 */
	protected Lease(Validity validity, LeaseTerms terms, TimeSource clock) {
		this.terms = terms;
		this.clock = clock;
		this.startNanos = clock.nanoTime();
		this.validity = validity;
		// Of the lease not what is lost on the way, of what the lock owes that too.
		this.grantTooShort = !terms.renewed() && validity.coveredNanos() < terms.lease().toNanos();
		this.unconfirmed = this.grantTooShort || validity.remainingNanos(clock) < remainingMinHold().toNanos();
		this.renewAtNanos = plannedNanos();
	}

	/**
	 * Return who holds.
	 * @return the ticket
	 */
	protected abstract Ticket ticket();

	/**
	 * Return the last token of the grant, which names it in the store.
	 * @return the token
	 */
	protected abstract long lastToken();

	/**
	 * Return the thread without which the lock makes no sense: when it has died the lock
	 * is lost.
	 * @return the thread, or {@code null} if there is none
	 */
	protected abstract @Nullable Thread owningThread();

	/**
	 * The lease was lost. Called once, on any thread; must not block.
	 * @param cause why
	 * @param reason why, in words
	 */
	protected abstract void lost(LossCause cause, String reason);

	/**
	 * Return whether the lock is held and its lease has not passed. Has no side effects
	 * that anything outside of this object can see.
	 * @return whether it is valid; after {@code false} never again {@code true}
	 */
	public final boolean isValid() {
		return remainingNanos() > 0;
	}

	/**
	 * Return what is left of the lease. Has no side effects that anything outside of this
	 * object can see.
	 * @return nanoseconds, zero if the lock is not held
	 */
	public final long remainingNanos() {
		return remainingIn(HELD, EXPIRED);
	}

	private long remainingIn(int valid, int passed) {
		if (this.state != valid) {
			return 0;
		}
		long left = leftNanos();
		if (left <= 0) {
			STATE.compareAndSet(this, valid, with(passed, causeOfExpiry()));
			return 0;
		}
		// Again: what is left may be that of a renewal which came after another query
		// had found the lease passed.
		return (this.state == valid) ? left : 0;
	}

	/**
	 * Find out whether the lease has passed, and make the loss known if it has.
	 * @return whether the lock is not held: its lease has passed, was ended or was lost
	 */
	public final boolean checkExpired() {
		if (remainingNanos() > 0) {
			return false;
		}
		lose(causeOfExpiry());
		return true;
	}

	/**
	 * End the lease, unless it has been lost.
	 * @return whether it was valid until now
	 */
	public final boolean endLease() {
		if (!checkExpired() && STATE.compareAndSet(this, HELD, ENDED)) {
			return true;
		}
		// A query may have found between the two that the lease has passed. It makes no
		// loss known, and after the end of the lease nothing else would.
		checkExpired();
		return false;
	}

	/**
	 * Make the loss known, unless the lease has ended before. If a query has found before
	 * that the lease has passed, that is the cause.
	 * @param cause why
	 */
	public final void lose(LossCause cause) {
		if (STATE.compareAndSet(this, HELD, with(LOST, cause))) {
			lost(cause, cause.description());
			return;
		}
		int now = this.state;
		LossCause found = causeOf(now);
		if ((now & KIND_MASK) == EXPIRED && found != null && STATE.compareAndSet(this, now, with(LOST, found))) {
			lost(found, found.description());
		}
	}

	/**
	 * Make known that what the lease was ended for did not come about.
	 * @param cause why
	 * @param reason why, in words
	 */
	public final void loseAfterEnd(LossCause cause, String reason) {
		if (markLostAfterEnd(cause)) {
			lost(cause, reason);
		}
	}

	/**
	 * Note that the lock had been lost before the lease was ended. Calls nothing.
	 * @param cause why
	 * @return whether this is the first to say so
	 */
	public final boolean markLostAfterEnd(LossCause cause) {
		int now = this.state;
		int kind = now & KIND_MASK;
		return (kind == ENDED || kind == EXPIRED_AFTER_END) && STATE.compareAndSet(this, now, with(LOST, cause));
	}

	/**
	 * Return why the lease was lost, or has passed.
	 * @return the cause, {@code null} if it was not
	 */
	public final @Nullable LossCause lossCause() {
		return causeOf(this.state);
	}

	private static int with(int kind, LossCause cause) {
		return kind | (cause.ordinal() + 1) << CAUSE_SHIFT;
	}

	private static @Nullable LossCause causeOf(int state) {
		int number = state >> CAUSE_SHIFT;
		return (number > 0) ? CAUSES[number - 1] : null;
	}

	/**
	 * Return whether it has been lost. If it finds that the lease has passed it makes the
	 * loss known.
	 * @return whether it was not ended before
	 */
	public final boolean isLost() {
		return checkExpired() && (this.state & KIND_MASK) == LOST;
	}

	/**
	 * Return whether the lease is valid, or was ended while it was. Has no side effects.
	 * @return whether it was not lost
	 */
	public final boolean isIntact() {
		// First the time: the lease may be ended between the two looks.
		boolean inTime = leftNanos() > 0;
		int now = this.state;
		return now == ENDED || now == CONTINUED || (now == HELD && inTime);
	}

	/**
	 * Return what is left of the store's grant although this lease has ended: for one who
	 * goes on to hold the lock in another way.
	 * @return nanoseconds, zero if the lease goes on or was lost
	 */
	protected final long remainingAfterEnd() {
		return remainingIn(ENDED, EXPIRED_AFTER_END);
	}

	/**
	 * The holder goes on under another lease.
	 * @return whether no query has found in the meantime that the lock is not held
	 */
	protected final boolean continueElsewhere() {
		return STATE.compareAndSet(this, ENDED, CONTINUED);
	}

	/**
	 * Return whether the holder has gone on under another lease.
	 * @return whether {@link #continueElsewhere()} has succeeded
	 */
	protected final boolean isContinued() {
		return this.state == CONTINUED;
	}

	final boolean isHeld() {
		return this.state == HELD;
	}

	/** Whether its holder has not ended it, and its loss is not known. */
	final boolean isOpen() {
		int now = this.state;
		return now == HELD || (now & KIND_MASK) == EXPIRED;
	}

	/** Whether the loss is to be made known. */
	final boolean hasUnreportedExpiry() {
		return (this.state & KIND_MASK) == EXPIRED;
	}

	/**
	 * Hold for so long at most from now on, without renewal, but for the one by which the
	 * store learns of it if it would let go sooner.
	 * @param lease how long
	 * @return whether the lock is held
	 */
	final boolean expireAfter(Duration lease) {
		if (checkExpired()) {
			return false;
		}
		// Terms count from the start. First they, then the flag: see renewed().
		this.grantTooShort = false;
		this.terms = this.terms.expiring(lease.plusNanos(heldNanos()));
		this.unconfirmed = this.validity.remainingNanos(this.clock) < lease.toNanos();
		this.renewAtNanos = this.clock.nanoTime();
		return !checkExpired();
	}

	/**
	 * Return for how long it has been held, or was until now.
	 * @return nanoseconds
	 */
	public final long heldNanos() {
		return this.clock.nanoTime() - this.startNanos;
	}

	/**
	 * Return for how long the lock must stay taken after its holder has left it now.
	 * @return what is left of the minimum hold time, zero if there is none
	 */
	public final Duration remainingMinHold() {
		LeaseTerms currentTerms = this.terms;
		return (currentTerms.minHold() != null) ? currentTerms.remainingMinHold(Duration.ofNanos(heldNanos()))
				: Duration.ZERO;
	}

	/**
	 * Return until when the store's grant counts, whatever became of this lease.
	 * @return the validity, the one after the last renewal
	 */
	public final Validity validity() {
		return this.validity;
	}

	/**
	 * Return whether no clock says when the store's grant ends, so that only the store
	 * knows whether it still counts.
	 * @return whether it counts as long as a session of unknown end
	 */
	final boolean hasNoEnd() {
		Validity current = this.validity;
		return current.sessionBound() && current.sessionNanos() == Long.MAX_VALUE;
	}

	/**
	 * Return the terms of one who goes on to hold the lock in another way, from now on.
	 * An explicit lease does not become longer by that: after a slow grant it ends when
	 * the grant ends, unless a renewal is due that lengthens the grant.
	 * @return what is left of the terms of this lease
	 */
	public final LeaseTerms restOfTerms() {
		long most = this.unconfirmed ? Long.MAX_VALUE : leftNanos();
		return this.terms.after(Duration.ofNanos(heldNanos()), Duration.ofNanos(most));
	}

	/**
	 * Return what is left of the lease, whatever its state.
	 * @return nanoseconds, zero or less if it has passed
	 */
	private long leftNanos() {
		Validity current = this.validity;
		return Math.min(current.remainingNanos(this.clock),
				this.terms.untilEndNanos(heldNanos(), current.sessionBound()));
	}

	/** Return why the store has refused a renewal. */
	final LossCause causeOfRefusal(RenewalResult.Gone answer) {
		if (answer.takenOver()) {
			return LossCause.TAKEN_OVER;
		}
		return this.validity.sessionBound() ? LossCause.SESSION_LOST : LossCause.FORGOTTEN;
	}

	/**
	 * Return why nothing is left of the lease. A watched lease is renewed when a third of
	 * it has passed. If it ends while no renewal is under way, this JVM has not run for
	 * so long.
	 * @return the cause
	 */
	private LossCause causeOfExpiry() {
		Validity current = this.validity;
		LeaseTerms currentTerms = this.terms;
		if (current.suspended(this.clock)) {
			return LossCause.PROCESS_SUSPENDED;
		}
		if (!currentTerms.renewed()) {
			if (currentTerms.untilEndNanos(heldNanos(), current.sessionBound()) <= 0) {
				return LossCause.LEASE_EXPIRED;
			}
			if (current.sessionBound()) {
				return LossCause.SESSION_LOST;
			}
			return (this.unconfirmed && (this.renewing || this.retrying)) ? LossCause.STORE_SILENT
					: LossCause.LEASE_EXPIRED;
		}
		Duration maxHold = currentTerms.maxHold();
		if (maxHold != null && heldNanos() >= maxHold.toNanos()) {
			return LossCause.MAX_HOLD_TIME;
		}
		if (current.sessionBound()) {
			return LossCause.SESSION_LOST;
		}
		return (this.renewing || this.retrying) ? LossCause.STORE_SILENT : LossCause.PROCESS_SUSPENDED;
	}

	/**
	 * Nanoseconds until something is to be done: renew, find the lease passed, or find
	 * its thread dead, which no store makes known.
	 */
	long untilNextEvent() {
		long end = hasUnreportedExpiry() ? 0
				: ((owningThread() != null) ? Math.min(leftNanos(), OWNER_CHECK_NANOS) : leftNanos());
		if (needsRenewal() && !this.renewing) {
			return Math.min(end, this.renewAtNanos - this.clock.nanoTime());
		}
		return end;
	}

	boolean hasDeadOwner() {
		Thread owner = owningThread();
		return owner != null && !owner.isAlive();
	}

	/**
	 * Return whether it is time to renew.
	 * @param slackNanos how much earlier is early enough
	 * @return whether it is due
	 */
	boolean isDue(long slackNanos) {
		return !this.renewing && isHeld() && needsRenewal() && this.renewAtNanos - this.clock.nanoTime() <= slackNanos;
	}

	/**
	 * Return how much too early it may be renewed when others are: half the interval, so
	 * that leases which began at different moments soon share one round.
	 * @param slackNanos the same for a repetition, which keeps its own time
	 * @return nanoseconds
	 */
	long batchSlackNanos(long slackNanos) {
		Validity current = this.validity;
		return (this.retrying || current.sessionBound()) ? slackNanos : Math.max(slackNanos, current.ttlNanos() / 6);
	}

	/** Return how long it may be held, as agreed by now. */
	LeaseTerms terms() {
		return this.terms;
	}

	/**
	 * Begin a renewal.
	 * @param currentTerms its terms
	 * @return what to ask for
	 */
	Renewal beginRenewal(LeaseTerms currentTerms) {
		this.renewing = true;
		return renewal(currentTerms);
	}

	/** Return what to ask for under some terms. */
	Renewal renewal(LeaseTerms currentTerms) {
		Duration lease = (this.grantTooShort && countsFromConfirmation()) ? currentTerms.storeLease()
				: currentTerms.storeLeaseAfter(Duration.ofNanos(heldNanos()));
		return new Renewal(ticket(), lastToken(), lease);
	}

	/**
	 * Return whether an explicit lease of which the store has granted only a part counts
	 * from the renewal that confirms the grant.
	 * @return {@code false} if it counts from the start whatever was granted
	 */
	protected boolean countsFromConfirmation() {
		return true;
	}

	/**
	 * The moment for which the next renewal is, or was, planned, whatever failed since.
	 */
	final long plannedNanos() {
		Validity current = this.validity;
		// A third of what the store has given has passed by then.
		return current.sessionBound() ? this.startNanos + Long.MAX_VALUE / 4
				: current.baseNanos() + current.ttlNanos() / 3;
	}

	/**
	 * The store has renewed it, and has said all it has to say to these terms: what came
	 * back is not asked for again, however little is left of it.
	 * @param later until when it counts
	 * @param asked the terms under which the renewal began
	 */
	void renewed(Validity later, LeaseTerms asked) {
		this.unconfirmed = false;
		// Looked at last, since expireAfter() on another thread sets them first.
		if (this.terms != asked) {
			this.unconfirmed = true;
		}
		// If it passed before the answer came it is lost for good.
		if (!checkExpired() && later.remainingNanos(this.clock) >= this.validity.remainingNanos(this.clock)) {
			this.validity = later;
			this.retrying = false;
			if (this.grantTooShort && countsFromConfirmation()) {
				// Unless expireAfter(), on another thread, has agreed on other terms.
				TERMS.compareAndSet(this, asked,
						asked.startingAfter(Duration.ofNanos(later.baseNanos() - this.startNanos)));
			}
			this.grantTooShort = false;
			this.renewAtNanos = plannedNanos();
			this.renewing = false;
		}
		else {
			renewalFailed();
		}
	}

	void renewalFailed() {
		long left = Math.max(0, leftNanos());
		this.retrying = true;
		this.renewAtNanos = this.clock.nanoTime() + Math.min(MAXIMUM_RETRY_NANOS, left / 8 + MINIMUM_RETRY_NANOS);
		this.renewing = false;
	}

	/** The store is in doubt, so that any lease is renewed, explicit ones too. */
	void renewNow() {
		this.unconfirmed = true;
		this.renewAtNanos = this.clock.nanoTime();
	}

	/**
	 * Without a watchdog a lease is renewed once when the store waits for a confirmation,
	 * or has asked for a renewal.
	 */
	private boolean needsRenewal() {
		LeaseTerms currentTerms = this.terms;
		if (!currentTerms.renewed()) {
			return this.unconfirmed;
		}
		Duration maxHold = currentTerms.maxHold();
		return maxHold == null || heldNanos() < maxHold.toNanos();
	}

}
