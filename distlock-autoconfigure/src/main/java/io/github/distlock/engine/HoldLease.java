package io.github.distlock.engine;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReferenceFieldUpdater;

import io.github.distlock.backend.LockStore.Renewal;
import io.github.distlock.backend.TimeSource;
import io.github.distlock.backend.Validity;
import io.github.distlock.engine.Hold.HoldPhase;
import org.jspecify.annotations.Nullable;

/**
 * The lease of one {@link Hold} over time: until when it lasts, when its next renewal is
 * due, and what became of the last one. It has no phases: {@link Hold} knows whether the
 * lock is held.
 * <p>
 * {@link #validity} says until when the grant of the store counts. {@link #terms} say how
 * long the lock may be held. The lease ends with the first of the two.
 * <p>
 * No two threads handle a renewal of the same hold at the same time: one thread begins
 * it, then another one handles its answer. Beside them, {@link #expireAfter} and
 * {@link #renewNow} may run on any thread.
 */
final class HoldLease {

	private static final AtomicReferenceFieldUpdater<HoldLease, LeaseTerms> TERMS = AtomicReferenceFieldUpdater
		.newUpdater(HoldLease.class, LeaseTerms.class, "terms");

	@SuppressWarnings("rawtypes")
	private static final AtomicReferenceFieldUpdater<HoldLease, CompletableFuture> RISK = AtomicReferenceFieldUpdater
		.newUpdater(HoldLease.class, CompletableFuture.class, "risk");

	private static final LeaseTerms FAILED = new LeaseTerms(Duration.ZERO, Duration.ZERO, false, null, null);

	private static final long MAXIMUM_RETRY_NANOS = Duration.ofSeconds(1).toNanos();

	private static final long MINIMUM_RETRY_NANOS = Duration.ofMillis(5).toNanos();

	/** No store reports the death of a thread. */
	private static final long OWNER_CHECK_NANOS = Duration.ofSeconds(1).toNanos();

	final Hold hold;

	/** When the caller took the lock over; until then, when it was granted. */
	volatile long startNanos;

	/** Replaced only by a later one, and only before it has passed. */
	volatile Validity validity;

	/**
	 * Replaced by {@link #expireAfter}, and by the renewal that confirms a grant which
	 * was too short.
	 */
	volatile LeaseTerms terms;

	/**
	 * The terms of the renewal that is under way, {@link #FAILED} if the last one has
	 * failed, otherwise {@code null}.
	 */
	private volatile @Nullable LeaseTerms asked;

	/** How many have succeeded. */
	volatile int count;

	/**
	 * When it is next due, unless the lease joins an earlier batch. While it is under
	 * way, since when it is.
	 */
	private volatile long dueNanos;

	/**
	 * Whether the store has to confirm the grant although the lease is not renewed by the
	 * watchdog. Set if the store granted less than requested, or if its session is in
	 * doubt; cleared when the next renewal begins, so that a doubt during a renewal
	 * causes another one.
	 */
	private volatile boolean unconfirmed;

	/**
	 * Whether an explicit lease was granted for less than requested, as a grant message
	 * does. The lease then counts from the renewal that confirms the grant.
	 */
	private volatile boolean grantTooShort;

	/**
	 * Set while the lock is at risk; completes when that has been reported.
	 * <p>
	 * <b>Invariant.</b> Whichever thread takes it reports the end, so each beginning that
	 * is reported is followed by one end. A release and a loss change the phase of the
	 * hold first, and then take it. The beginning sets it first, and then looks at the
	 * phase.
	 */
	private volatile @Nullable CompletableFuture<Void> risk;

	/**
	 * Create the lease of a hold that has just been granted.
	 * @param granted until when the grant counts
	 * @param terms how long the lock may be held
	 */
	HoldLease(Hold hold, Validity granted, LeaseTerms terms) {
		this.hold = hold;
		this.validity = granted;
		this.terms = terms;
		this.startNanos = clock().nanoTime();
	}

	/** The caller has the lock: what the terms say counts from now. */
	void start() {
		Validity granted = this.validity;
		this.startNanos = clock().nanoTime();
		// The transit time and the safety margin may be missing from the lease, but not
		// from the minimum hold time.
		this.grantTooShort = !this.terms.renewed() && granted.coveredNanos() < this.terms.lease().toNanos();
		boolean endsTooSoon = hasMinHold()
				&& granted.remainingNanos(clock()) < this.terms.remainingMinHold(Duration.ZERO).toNanos();
		this.unconfirmed = this.grantTooShort || endsTooSoon;
		// At once: if this JVM died before, the lock would not stay locked for that time.
		this.dueNanos = endsTooSoon ? this.startNanos : plannedNanos();
	}

	long heldNanos() {
		return clock().nanoTime() - this.startNanos;
	}

	boolean hasMinHold() {
		return this.terms.minHold() != null;
	}

	/**
	 * Return how long the lock must remain locked if its holder releases it now: what
	 * remains of the minimum hold time, zero if there is none.
	 */
	Duration remainingMinHold() {
		return hasMinHold() ? this.terms.remainingMinHold(Duration.ofNanos(heldNanos())) : Duration.ZERO;
	}

	/** Return the remaining time, whatever the phase: zero or less if it has passed. */
	long leftNanos() {
		Validity current = this.validity;
		long left = current.remainingNanos(clock());
		LeaseTerms now = this.terms;
		// Reading the clocks is most of the time of a cycle without I/O.
		return now.hasEnd(current.sessionBound())
				? Math.min(left, now.untilEndNanos(heldNanos(), current.sessionBound())) : left;
	}

	boolean isUnderWay() {
		LeaseTerms now = this.asked;
		return now != null && now != FAILED;
	}

	/** Whether the store has been asked, and has not renewed the lease since. */
	boolean isUnanswered() {
		return this.asked != null;
	}

	/**
	 * Return whether the lease needs a renewal. Without the watchdog that is a single
	 * one, while the grant is unconfirmed.
	 */
	boolean isNeeded() {
		LeaseTerms now = this.terms;
		return now.renewed() ? now.maxHold() == null || !now.hasPassed(heldNanos()) : this.unconfirmed;
	}

	/**
	 * Return whether the lease is due for renewal.
	 * @param slackNanos how much earlier it may be renewed
	 */
	boolean isDue(long slackNanos) {
		return !isUnderWay() && this.hold.hasLease() && isNeeded() && this.dueNanos - clock().nanoTime() <= slackNanos;
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
		return (this.asked == FAILED || current.sessionBound()) ? slackNanos
				: Math.max(slackNanos, current.ttlNanos() / 6);
	}

	/** Return the planned time of the next renewal, whatever has failed since. */
	long plannedNanos() {
		Validity current = this.validity;
		// A third of the granted time has passed by then.
		return current.sessionBound() ? this.startNanos + Long.MAX_VALUE / 4
				: current.baseNanos() + current.ttlNanos() / 3;
	}

	/**
	 * Return the nanoseconds until the next renewal, the expiry, or the next check of the
	 * owning thread.
	 */
	long untilNextEvent() {
		return untilNextEvent((this.hold.lossCause() != null) ? 0 : leftNanos(), clock().nanoTime());
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
		long end = this.hold.hasView() ? Math.min(left, OWNER_CHECK_NANOS) : left;
		return Math.min(end, isUnderWay() ? untilRisk(nowNanos) : isNeeded() ? this.dueNanos - nowNanos : end);
	}

	/**
	 * Return the nanoseconds until half of the lease has passed without an answer. A
	 * renewal that begins so late, as after a pause of this process, has a little time.
	 */
	private long untilRisk(long nowNanos) {
		Validity current = this.validity;
		long ttl = current.ttlNanos();
		return (current.sessionBound() || isAtRisk() || !isNeeded()) ? Long.MAX_VALUE
				: Math.max(current.baseNanos() + ttl / 2 - nowNanos, this.dueNanos + ttl / 8 - nowNanos);
	}

	/** Begin the risk if a renewal takes, or waits, for so long. */
	void checkRisk() {
		if (isUnderWay() && untilRisk(clock().nanoTime()) <= 0) {
			beginRisk();
			if (!isUnanswered()) {
				// The thread that has just handled the answer found no risk to end.
				endRisk();
			}
		}
	}

	/** Begin a renewal. */
	void begin() {
		this.unconfirmed = false;
		this.dueNanos = clock().nanoTime();
		// Before the request is made: what expireAfter() changes meanwhile is not
		// covered.
		this.asked = this.terms;
	}

	/** Return the renewal to send now. */
	Renewal request() {
		LeaseTerms now = this.terms;
		Duration lease = this.grantTooShort ? now.storeLease() : now.storeLeaseAfter(Duration.ofNanos(heldNanos()));
		return new Renewal(this.hold.ticket, this.hold.lastToken, lease);
	}

	/**
	 * Handle a successful renewal. The lease is confirmed even if the store granted
	 * little: the same terms are not requested again.
	 * @param later the new validity
	 */
	void succeeded(Validity later) {
		LeaseTerms confirmed = this.asked;
		if (confirmed == null || confirmed == FAILED) {
			// An executor may reject a task and run it nevertheless.
			return;
		}
		// Read the terms last: expireAfter() on another thread sets them first.
		if (this.terms != confirmed) {
			this.unconfirmed = true;
		}
		// A lease that expired before the answer arrived is lost.
		boolean longer = later.remainingNanos(clock()) >= this.validity.remainingNanos(clock());
		// One without the watchdog need not become longer: the store knows it.
		if (!this.hold.checkExpired() && (longer || !confirmed.renewed())) {
			this.validity = longer ? later : this.validity;
			this.count++;
			if (this.grantTooShort) {
				// Fails if expireAfter() on another thread has replaced the terms.
				TERMS.compareAndSet(this, confirmed,
						confirmed.startingAfter(Duration.ofNanos(later.baseNanos() - this.startNanos)));
			}
			this.grantTooShort = false;
			if (!this.unconfirmed) {
				this.dueNanos = plannedNanos();
			}
			this.asked = null;
			endRisk();
			return;
		}
		failed();
	}

	/** Handle a renewal that failed. At half of the lease, the lock is at risk. */
	void failed() {
		this.unconfirmed = true;
		this.dueNanos = clock().nanoTime() + MAXIMUM_RETRY_NANOS;
		this.asked = FAILED;
		// Last, since the session may throw: the lease is then due again.
		long left = Math.max(0, leftNanos());
		this.dueNanos = clock().nanoTime() + Math.min(MAXIMUM_RETRY_NANOS, left / 8 + MINIMUM_RETRY_NANOS);
		Validity current = this.validity;
		if (left > 0 && left < current.ttlNanos() / 2 && !current.sessionBound() && isNeeded()) {
			beginRisk();
		}
	}

	boolean isAtRisk() {
		return this.risk != null;
	}

	private void beginRisk() {
		CompletableFuture<Void> reported = new CompletableFuture<>();
		if (this.hold.phase() != HoldPhase.HELD || !RISK.compareAndSet(this, null, reported)) {
			return;
		}
		if (this.hold.phase() == HoldPhase.HELD || !RISK.compareAndSet(this, reported, null)) {
			this.hold.context().atRisk(this.hold, reported);
		}
	}

	/** The lease was renewed, or the hold has ended. */
	void endRisk() {
		CompletableFuture<?> reported = isAtRisk() ? RISK.getAndSet(this, null) : null;
		if (reported != null) {
			boolean ended = false;
			try {
				this.hold.context().riskEnded(this.hold, reported);
				ended = true;
			}
			finally {
				if (!ended) {
					// There is no memory, for example: what ends the hold tries again.
					RISK.compareAndSet(this, null, reported);
				}
			}
		}
	}

	/** Make any lease due for renewal, explicit ones included: the store is in doubt. */
	void renewNow() {
		this.unconfirmed = true;
		this.dueNanos = clock().nanoTime();
	}

	/**
	 * Let the lease end after a time, without further renewal. One renewal may follow if
	 * the grant of the store would end sooner.
	 * @param lease how long the lock may be held from now on
	 * @return whether the lock is held
	 */
	boolean expireAfter(Duration lease) {
		if (this.hold.checkExpired()) {
			return false;
		}
		// Terms count from the start of the hold. Set them before the flag: succeeded()
		// reads them in the opposite order.
		this.grantTooShort = false;
		this.terms = this.terms.expiring(lease.plusNanos(heldNanos()));
		this.unconfirmed = this.validity.remainingNanos(clock()) < lease.toNanos();
		this.dueNanos = clock().nanoTime();
		return !this.hold.checkExpired();
	}

	private TimeSource clock() {
		return this.hold.context().clock();
	}

}
