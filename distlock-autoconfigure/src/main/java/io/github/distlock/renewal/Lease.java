package io.github.distlock.renewal;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicReferenceFieldUpdater;

import io.github.distlock.LossCause;
import io.github.distlock.backend.LockBackend.Renewal;
import io.github.distlock.backend.RenewalResult;
import io.github.distlock.backend.Ticket;
import io.github.distlock.backend.TimeSource;
import io.github.distlock.backend.Validity;
import org.jspecify.annotations.Nullable;

/**
 * The lease of one held lock. Held, then ended or lost, once and for good: see
 * {@link LeaseState}. A renewal that is acknowledged after the deadline revives nothing.
 * <p>
 * Who holds extends this class: there may be very many, so a hold and its lease are one
 * object, and fields are updated where they are instead of in an atomic object each.
 */
public abstract class Lease extends LeaseState {

	private static final AtomicReferenceFieldUpdater<Lease, LeaseTerms> TERMS = AtomicReferenceFieldUpdater
		.newUpdater(Lease.class, LeaseTerms.class, "terms");

	private static final long LONGEST_RETRY_NANOS = Duration.ofSeconds(1).toNanos();

	private static final long OWNER_CHECK_NANOS = Duration.ofSeconds(1).toNanos();

	private static final long SHORTEST_RETRY_NANOS = Duration.ofMillis(5).toNanos();

	/** Its place in the {@link LeaseSet}, which alone touches it. */
	int index = LeaseSet.NOWHERE;

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
	private volatile boolean brief;

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
		this.brief = !terms.renewed() && validity.coveredNanos() < terms.lease().toNanos();
		this.unconfirmed = this.brief || validity.remainingNanos(clock) < owed().toNanos();
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
	protected abstract @Nullable Thread owner();

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
		this.brief = false;
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
	public final Duration owed() {
		LeaseTerms agreed = this.terms;
		return (agreed.minHold() != null) ? agreed.owed(Duration.ofNanos(heldNanos())) : Duration.ZERO;
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
		long most = this.unconfirmed ? Long.MAX_VALUE : left();
		return this.terms.after(Duration.ofNanos(heldNanos()), Duration.ofNanos(most));
	}

	@Override
	final long left() {
		Validity current = this.validity;
		return Math.min(current.remainingNanos(this.clock),
				this.terms.untilEndNanos(heldNanos(), current.sessionBound()));
	}

	/** Return why the store has refused a renewal. */
	final LossCause whyGone(RenewalResult.Gone answer) {
		if (answer.takenOver()) {
			return LossCause.TAKEN_OVER;
		}
		return this.validity.sessionBound() ? LossCause.SESSION_LOST : LossCause.FORGOTTEN;
	}

	/**
	 * A watched lease is renewed when a third of it has passed. If it ends while no
	 * renewal is under way, this JVM has not run for so long.
	 */
	@Override
	final LossCause whyPassed() {
		Validity current = this.validity;
		LeaseTerms agreed = this.terms;
		if (current.suspended(this.clock)) {
			return LossCause.PROCESS_SUSPENDED;
		}
		if (!agreed.renewed()) {
			if (agreed.untilEndNanos(heldNanos(), current.sessionBound()) <= 0) {
				return LossCause.LEASE_EXPIRED;
			}
			if (current.sessionBound()) {
				return LossCause.SESSION_LOST;
			}
			return (this.unconfirmed && (this.renewing || this.retrying)) ? LossCause.STORE_SILENT
					: LossCause.LEASE_EXPIRED;
		}
		Duration maxHold = agreed.maxHold();
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
		long end = hasPassed() ? 0 : ((owner() != null) ? Math.min(left(), OWNER_CHECK_NANOS) : left());
		if (needsRenewal() && !this.renewing) {
			return Math.min(end, this.renewAtNanos - this.clock.nanoTime());
		}
		return end;
	}

	boolean hasDeadOwner() {
		Thread owner = owner();
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
	long companySlackNanos(long slackNanos) {
		Validity current = this.validity;
		return (this.retrying || current.sessionBound()) ? slackNanos : Math.max(slackNanos, current.ttlNanos() / 6);
	}

	/** Return how long it may be held, as agreed by now. */
	LeaseTerms terms() {
		return this.terms;
	}

	/**
	 * Begin a renewal.
	 * @param agreed its terms
	 * @return what to ask for
	 */
	Renewal beginRenewal(LeaseTerms agreed) {
		this.renewing = true;
		return renewal(agreed);
	}

	/** Return what to ask for under some terms. */
	Renewal renewal(LeaseTerms agreed) {
		Duration lease = (this.brief && countsFromConfirmation()) ? agreed.storeLease()
				: agreed.storeLeaseAfter(Duration.ofNanos(heldNanos()));
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
			if (this.brief && countsFromConfirmation()) {
				// Unless expireAfter(), on another thread, has agreed on other terms.
				TERMS.compareAndSet(this, asked,
						asked.startingAfter(Duration.ofNanos(later.baseNanos() - this.startNanos)));
			}
			this.brief = false;
			this.renewAtNanos = plannedNanos();
			this.renewing = false;
		}
		else {
			renewalFailed();
		}
	}

	void renewalFailed() {
		long left = Math.max(0, left());
		this.retrying = true;
		this.renewAtNanos = this.clock.nanoTime() + Math.min(LONGEST_RETRY_NANOS, left / 8 + SHORTEST_RETRY_NANOS);
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
		LeaseTerms agreed = this.terms;
		if (!agreed.renewed()) {
			return this.unconfirmed;
		}
		Duration maxHold = agreed.maxHold();
		return maxHold == null || heldNanos() < maxHold.toNanos();
	}

}
