package io.github.distlock.engine;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicReferenceFieldUpdater;

import io.github.distlock.LossCause;
import io.github.distlock.backend.LockStore.Renewal;
import io.github.distlock.backend.RenewalResult;
import io.github.distlock.backend.Ticket;
import io.github.distlock.backend.TimeSource;
import io.github.distlock.backend.Validity;
import org.jspecify.annotations.Nullable;

/**
 * The lease of one held lock: how long the lock is held, when it has to be renewed, and
 * whether it was lost.
 * <p>
 * State. A lease is held, then ended or lost, once: the first change of {@link #state}
 * decides, and only compare-and-set changes it. The cause of a loss is part of the state.
 * <p>
 * Invariant: after a query has answered that the lease is not held, it is never held
 * again. A query that finds the lease expired therefore changes the state to
 * {@link Phase#EXPIRED}. That has no other effect. The scan of the {@link LeaseRenewer},
 * a close, or an answer of the store reports the loss. A renewal that is acknowledged
 * later extends the validity, but does not change the state.
 * <p>
 * Time. {@link #validity} says until when the grant of the store counts. {@link #terms}
 * say how long the lock may be held. The lease expires when the first of the two ends.
 * <p>
 * A hold extends this class, and fields are updated through field updaters: a JVM may
 * hold very many locks, and so each of them is a single object.
 */
public abstract class Lease {

	private static final LeaseState HELD = new LeaseState(Phase.HELD, null);

	private static final LeaseState ENDED = new LeaseState(Phase.ENDED, null);

	private static final AtomicReferenceFieldUpdater<Lease, LeaseState> STATE = AtomicReferenceFieldUpdater
		.newUpdater(Lease.class, LeaseState.class, "state");

	private static final AtomicReferenceFieldUpdater<Lease, LeaseTerms> TERMS = AtomicReferenceFieldUpdater
		.newUpdater(Lease.class, LeaseTerms.class, "terms");

	private static final long MAXIMUM_RETRY_NANOS = Duration.ofSeconds(1).toNanos();

	private static final long OWNER_CHECK_NANOS = Duration.ofSeconds(1).toNanos();

	private static final long MINIMUM_RETRY_NANOS = Duration.ofMillis(5).toNanos();

	/** No renewal is under way, and the last one has not failed. */
	private static final byte IDLE = 0;

	/** A renewal is under way. */
	private static final byte RENEWING = 1;

	/** The last renewal failed. */
	private static final byte FAILED = 2;

	/** It failed, and the lease was found to be at risk, which is reported once. */
	private static final byte AT_RISK = 4;

	private volatile LeaseState state = HELD;

	/**
	 * Replaced by {@link #expireAfter}, and by the renewal that confirms a grant which
	 * was too short.
	 */
	private volatile LeaseTerms terms;

	private final long startNanos;

	/** Replaced only by a later one, and only before it has passed. */
	private volatile Validity validity;

	/**
	 * How many renewals have succeeded. For reports only: two renewals of one lease are
	 * never handled at the same time.
	 */
	private volatile int renewals;

	/**
	 * {@link #IDLE}, or a sum of {@link #RENEWING}, {@link #FAILED} and {@link #AT_RISK}.
	 * Written by the thread that begins a renewal, then by the one that handles its
	 * answer, so no two threads write it at the same time. A byte keeps a held lock
	 * small.
	 */
	private volatile byte renewal = IDLE;

	/** When to renew next, unless the lease joins an earlier batch. */
	private volatile long renewAtNanos;

	/**
	 * The terms of the renewal that is under way. Written before it is sent, and read
	 * when it is answered.
	 */
	private LeaseTerms asked;

	/**
	 * Whether the store has to confirm the grant although the lease is not renewed by the
	 * watchdog. Set if the store granted less than requested, or if its session is in
	 * doubt; cleared by the next renewal.
	 */
	private volatile boolean unconfirmed;

	/**
	 * Whether an explicit lease was granted for less than requested, as a grant message
	 * does. The lease then counts from the renewal that confirms the grant.
	 */
	private volatile boolean grantTooShort;

	/**
	 * Create the lease of a lock that has just been granted.
	 * @param validity until when the grant counts
	 * @param terms how long the lock may be held
	 * @param clock the time source, see {@link #clock()}
	 */
	protected Lease(Validity validity, LeaseTerms terms, TimeSource clock) {
		this.terms = terms;
		this.asked = terms;
		this.startNanos = clock.nanoTime();
		this.validity = validity;
		// The transit time and the safety margin may be missing from the lease, but not
		// from the minimum hold time.
		this.grantTooShort = !terms.renewed() && validity.coveredNanos() < terms.lease().toNanos();
		boolean endsTooSoon = hasMinHold()
				&& validity.remainingNanos(clock) < terms.remainingMinHold(Duration.ZERO).toNanos();
		this.unconfirmed = this.grantTooShort || endsTooSoon;
		// At once: if this JVM died before, the lock would not stay locked for that time.
		this.renewAtNanos = endsTooSoon ? this.startNanos : plannedNanos();
	}

	/**
	 * Return the time source with which the lease was created. Not stored here: a hold
	 * finds it without a field.
	 * @return the time source
	 */
	protected abstract TimeSource clock();

	/**
	 * Return the ticket that holds the lock in the store.
	 * @return the ticket
	 */
	protected abstract Ticket ticket();

	@Override
	public final boolean equals(@Nullable Object other) {
		return this == other;
	}

	/** The same in each run of a simulation: leases are iterated in sets. */
	@Override
	public final int hashCode() {
		return Long.hashCode(ticket().number());
	}

	/**
	 * Return the label of the lock that a caller holds under this lease.
	 * @return the name, {@code null} if no caller holds a lock under it any more
	 */
	protected @Nullable String name() {
		return null;
	}

	/**
	 * Return the last token of the grant, which identifies the grant in the store.
	 * @return the token
	 */
	protected abstract long lastToken();

	/**
	 * Return the thread with whose death the lock is lost.
	 * @return the thread, or {@code null} if the lock does not depend on a thread
	 */
	protected abstract @Nullable Thread owningThread();

	/**
	 * Return whether the store has reported that an operator ended the grant.
	 * @return whether a loss is to be put down to that
	 */
	protected boolean isEndedByOperator() {
		return false;
	}

	/**
	 * Called once when the lease is lost, on any thread. Must not block.
	 * @param cause the cause
	 */
	protected abstract void lost(LossCause cause);

	/**
	 * Return whether the lock is held and its lease has not expired. Has no effect
	 * outside this object.
	 * @return whether the lease is valid; after {@code false} never {@code true} again
	 */
	public final boolean isValid() {
		return remainingNanos() > 0;
	}

	/**
	 * Return the remaining time of the lease. Has no effect outside this object.
	 * @return nanoseconds, zero if the lock is not held
	 */
	public final long remainingNanos() {
		if (this.state != HELD) {
			return 0;
		}
		long left = leftNanos();
		if (left <= 0) {
			STATE.compareAndSet(this, HELD, new LeaseState(Phase.EXPIRED, causeOfExpiry()));
			return 0;
		}
		// Read the state again: the time may come from a renewal that was acknowledged
		// after another query had found the lease expired.
		return (this.state == HELD) ? left : 0;
	}

	/**
	 * Check whether the lease has expired, and report the loss if it has.
	 * @return whether the lock is not held: its lease expired, was ended, or was lost
	 */
	public final boolean checkExpired() {
		if (remainingNanos() > 0) {
			return false;
		}
		lose(causeOfExpiry());
		return true;
	}

	/**
	 * End the lease, unless it was lost.
	 * @return how long it would have lasted, in nanoseconds; zero if it was lost
	 */
	public final long endLease() {
		long left = remainingNanos();
		if (left > 0 && STATE.compareAndSet(this, HELD, ENDED)) {
			return left;
		}
		// Report the loss. A query, too, may have set EXPIRED, here or in the meantime.
		// The query does not report the loss, and after the end of the lease nothing else
		// would.
		checkExpired();
		return 0;
	}

	/**
	 * Report the loss, unless the lease has ended. If a query found the lease expired
	 * before, that is the cause.
	 * @param cause the cause
	 */
	public final void lose(LossCause cause) {
		if (STATE.compareAndSet(this, HELD, new LeaseState(Phase.LOST, cause))) {
			lost(cause);
			return;
		}
		LeaseState now = this.state;
		LossCause found = now.cause();
		if (now.phase() == Phase.EXPIRED && found != null
				&& STATE.compareAndSet(this, now, new LeaseState(Phase.LOST, found))) {
			lost(found);
		}
	}

	/**
	 * Record that the lock was already lost when the lease ended. Reports nothing.
	 * @param cause the cause
	 */
	public final void markLostAfterEnd(LossCause cause) {
		STATE.compareAndSet(this, ENDED, new LeaseState(Phase.LOST, cause));
	}

	/**
	 * Return the cause of the loss or of the expiry.
	 * @return the cause, {@code null} if the lease is neither lost nor expired
	 */
	public final @Nullable LossCause lossCause() {
		return this.state.cause();
	}

	/**
	 * Return whether the lease is valid, or was valid when it ended. Has no effect.
	 * @return whether it was not lost
	 */
	public final boolean isIntact() {
		// Read the time first: the lease may end between the two reads.
		boolean inTime = leftNanos() > 0;
		LeaseState now = this.state;
		return now == ENDED || (now == HELD && inTime);
	}

	/**
	 * Return whether the holder has not ended the lease and no loss has been reported.
	 */
	final boolean isOpen() {
		return this.state == HELD || this.state.phase() == Phase.EXPIRED;
	}

	/**
	 * Let the lease end after a time, without further renewal. One renewal may follow if
	 * the grant of the store would end sooner.
	 * @param lease how long the lock may be held from now on
	 * @return whether the lock is held
	 */
	final boolean expireAfter(Duration lease) {
		if (checkExpired()) {
			return false;
		}
		// Terms count from the start of the lease. Set them before the flag: renewed()
		// reads them in the opposite order.
		this.grantTooShort = false;
		this.terms = this.terms.expiring(lease.plusNanos(heldNanos()));
		this.unconfirmed = this.validity.remainingNanos(clock()) < lease.toNanos();
		this.renewAtNanos = clock().nanoTime();
		return !checkExpired();
	}

	/** Return when the lease began, by the monotonic clock. */
	public final long startNanos() {
		return this.startNanos;
	}

	/**
	 * Return how long the lock has been held.
	 * @return nanoseconds since the start of the lease
	 */
	public final long heldNanos() {
		return clock().nanoTime() - this.startNanos;
	}

	/**
	 * Return how many renewals have succeeded.
	 * @return the number
	 */
	public final int renewals() {
		return this.renewals;
	}

	/**
	 * Return whether the lock must remain locked for some time, which may have passed.
	 * @return whether there is a minimum hold time
	 */
	public final boolean hasMinHold() {
		return this.terms.minHold() != null;
	}

	/**
	 * Return whether the watchdog renews the lease until the lock is released: it has no
	 * lease time, and {@link #expireAfter} was not called.
	 * @return whether the lease is renewed
	 */
	public final boolean isRenewedByWatchdog() {
		return this.terms.renewed();
	}

	/**
	 * Return how long the lock must remain locked if its holder releases it now.
	 * @return what remains of the minimum hold time, zero if there is none
	 */
	public final Duration remainingMinHold() {
		LeaseTerms currentTerms = this.terms;
		return (currentTerms.minHold() != null) ? currentTerms.remainingMinHold(Duration.ofNanos(heldNanos()))
				: Duration.ZERO;
	}

	/**
	 * Return until when the grant of the store counts, whatever the state of this lease.
	 * @return the validity after the last renewal
	 */
	public final Validity validity() {
		return this.validity;
	}

	/**
	 * Return the remaining time, whatever the state.
	 * @return nanoseconds, zero or less if the lease has expired
	 */
	private long leftNanos() {
		Validity current = this.validity;
		long left = current.remainingNanos(clock());
		LeaseTerms currentTerms = this.terms;
		// Reading the clocks is most of the time of a cycle without I/O.
		return currentTerms.hasEnd(current.sessionBound())
				? Math.min(left, currentTerms.untilEndNanos(heldNanos(), current.sessionBound())) : left;
	}

	/** Return why the store refused a renewal. */
	final LossCause causeOfRefusal(RenewalResult.Gone answer) {
		if (isEndedByOperator()) {
			return LossCause.RELEASED_BY_OPERATOR;
		}
		if (answer.takenOver()) {
			return LossCause.TAKEN_OVER;
		}
		Validity current = this.validity;
		return (current.sessionBound() && current.hasPassed(clock())) ? LossCause.SESSION_LOST : LossCause.FORGOTTEN;
	}

	/**
	 * Return why the lease has expired. A lease of the watchdog is renewed after a third
	 * of it. If it expires while no renewal is under way, this process was suspended.
	 * @return the cause
	 */
	private LossCause causeOfExpiry() {
		Validity current = this.validity;
		LeaseTerms currentTerms = this.terms;
		if (current.suspended(clock())) {
			return LossCause.PROCESS_SUSPENDED;
		}
		if (!currentTerms.renewed()) {
			if (currentTerms.untilEndNanos(heldNanos(), current.sessionBound()) <= 0) {
				return LossCause.LEASE_EXPIRED;
			}
			if (current.sessionBound()) {
				return LossCause.SESSION_LOST;
			}
			return (this.unconfirmed && this.renewal != IDLE) ? LossCause.STORE_SILENT : LossCause.LEASE_EXPIRED;
		}
		Duration maxHold = currentTerms.maxHold();
		if (maxHold != null && heldNanos() >= maxHold.toNanos()) {
			return LossCause.MAX_HOLD_TIME;
		}
		if (current.sessionBound()) {
			return LossCause.SESSION_LOST;
		}
		return (this.renewal != IDLE) ? LossCause.STORE_SILENT : LossCause.PROCESS_SUSPENDED;
	}

	/**
	 * Return the nanoseconds until the next renewal, the expiry, or the next check of the
	 * owning thread, whose death no store reports.
	 */
	long untilNextEvent() {
		long left = (this.state.phase() == Phase.EXPIRED) ? 0 : leftNanos();
		return untilNextEvent(left, clock().nanoTime());
	}

	/**
	 * Return the nanoseconds from the start until the first such event. Reads no clock,
	 * since only a timer depends on it: if the lease has expired since, the timer fires
	 * at once.
	 */
	long untilFirstEvent() {
		Validity first = this.validity;
		return untilNextEvent(
				Math.min(first.remainingNanosAt(this.startNanos), this.terms.untilEndNanos(0, first.sessionBound())),
				this.startNanos);
	}

	private long untilNextEvent(long left, long nowNanos) {
		long end = (owningThread() != null) ? Math.min(left, OWNER_CHECK_NANOS) : left;
		return (needsRenewal() && !isRenewing()) ? Math.min(end, this.renewAtNanos - nowNanos) : end;
	}

	boolean hasDeadOwner() {
		Thread owner = owningThread();
		return owner != null && !owner.isAlive();
	}

	/**
	 * Return whether the lease is due for renewal.
	 * @param slackNanos how much earlier it may be renewed
	 * @return whether it is due
	 */
	boolean isDue(long slackNanos) {
		return !isRenewing() && this.state == HELD && needsRenewal()
				&& this.renewAtNanos - clock().nanoTime() <= slackNanos;
	}

	/**
	 * Return how much earlier the lease may be renewed to join a batch. It is half the
	 * renewal interval, so that leases which began at different moments soon share a
	 * batch.
	 * @param slackNanos the slack of a retry, which keeps its own time
	 * @return nanoseconds
	 */
	long batchSlackNanos(long slackNanos) {
		Validity current = this.validity;
		return (this.renewal >= FAILED || current.sessionBound()) ? slackNanos
				: Math.max(slackNanos, current.ttlNanos() / 6);
	}

	/**
	 * Begin a renewal.
	 * @return the renewal to send
	 */
	Renewal beginRenewal() {
		this.renewal |= RENEWING;
		// Before the time is read: what expireAfter() changes meanwhile is not covered.
		this.asked = this.terms;
		return renewal();
	}

	boolean isRenewing() {
		return (this.renewal & RENEWING) != 0;
	}

	/** Return the renewal to send now. */
	Renewal renewal() {
		LeaseTerms currentTerms = this.terms;
		Duration lease = this.grantTooShort ? currentTerms.storeLease()
				: currentTerms.storeLeaseAfter(Duration.ofNanos(heldNanos()));
		return new Renewal(ticket(), lastToken(), lease);
	}

	/**
	 * Return the planned time of the next renewal, whatever has failed since.
	 */
	final long plannedNanos() {
		Validity current = this.validity;
		// A third of the granted time has passed by then.
		return current.sessionBound() ? this.startNanos + Long.MAX_VALUE / 4
				: current.baseNanos() + current.ttlNanos() / 3;
	}

	/**
	 * Handle a successful renewal. The lease is confirmed even if the store granted
	 * little: the same terms are not requested again.
	 * @param later the new validity
	 * @return whether the lease is at risk all the same, and that has to be reported
	 */
	boolean renewed(Validity later) {
		this.unconfirmed = false;
		// Read the terms last: expireAfter() on another thread sets them first.
		if (this.terms != this.asked) {
			this.unconfirmed = true;
		}
		// A lease that expired before the answer arrived is lost.
		if (!checkExpired() && later.remainingNanos(clock()) >= this.validity.remainingNanos(clock())) {
			this.validity = later;
			this.renewals++;
			if (this.grantTooShort) {
				// Fails if expireAfter() on another thread has replaced the terms.
				TERMS.compareAndSet(this, this.asked,
						this.asked.startingAfter(Duration.ofNanos(later.baseNanos() - this.startNanos)));
			}
			this.grantTooShort = false;
			this.renewAtNanos = plannedNanos();
			this.renewal = IDLE;
			return false;
		}
		return renewalFailed();
	}

	/**
	 * Handle a renewal that failed.
	 * @return whether the lease is at risk for the first time since a renewal succeeded
	 */
	boolean renewalFailed() {
		long left = Math.max(0, leftNanos());
		boolean known = this.renewal >= AT_RISK;
		this.renewal |= FAILED;
		boolean risk = !known && isAtRisk();
		this.renewAtNanos = clock().nanoTime() + Math.min(MAXIMUM_RETRY_NANOS, left / 8 + MINIMUM_RETRY_NANOS);
		this.renewal = (known || risk) ? FAILED | AT_RISK : FAILED;
		return risk;
	}

	/**
	 * Return whether the lock is likely to be lost soon: its last renewal failed, and
	 * less than half of its lease is left. Has no effect.
	 * @return whether the lease is valid and at risk
	 */
	public final boolean isAtRisk() {
		if (this.renewal < FAILED || this.state != HELD || !needsRenewal()) {
			return false;
		}
		Validity current = this.validity;
		long left = current.remainingNanos(clock());
		return !current.sessionBound() && left > 0 && left < current.ttlNanos() / 2;
	}

	/** Make any lease due for renewal, explicit ones included: the store is in doubt. */
	void renewNow() {
		this.unconfirmed = true;
		this.renewAtNanos = clock().nanoTime();
	}

	/**
	 * Return whether the lease needs a renewal. Without the watchdog that is a single
	 * one, while the grant is unconfirmed.
	 */
	private boolean needsRenewal() {
		LeaseTerms currentTerms = this.terms;
		if (!currentTerms.renewed()) {
			return this.unconfirmed;
		}
		Duration maxHold = currentTerms.maxHold();
		return maxHold == null || heldNanos() < maxHold.toNanos();
	}

	/**
	 * The state of a lease.
	 *
	 * @param cause of the loss or of the expiry
	 */
	private record LeaseState(Phase phase, @Nullable LossCause cause) {
	}

	private enum Phase {

		HELD,

		/** A query has found the lease expired. The loss has not been reported. */
		EXPIRED,

		/** The holder ended the lease. */
		ENDED,

		LOST

	}

}
