package io.github.distlock.renewal;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicReference;

import io.github.distlock.backend.Grant;
import io.github.distlock.backend.LockBackend.Renewal;
import io.github.distlock.backend.Ticket;
import io.github.distlock.backend.TimeSource;
import io.github.distlock.backend.Validity;

/**
 * The lease of one held lock. Held, then closed or lost, once and for good: whoever
 * changes {@link #state} first decides. A renewal that is acknowledged after the deadline
 * revives nothing.
 */
public final class Lease {

	private enum State {

		HELD, CLOSED, LOST

	}

	private static final long LONGEST_RETRY_NANOS = Duration.ofSeconds(1).toNanos();

	private static final long SHORTEST_RETRY_NANOS = Duration.ofMillis(5).toNanos();

	private final Ticket ticket;

	private final long lastToken;

	private final LeaseTerms terms;

	private final TimeSource clock;

	private final LeaseEvents events;

	private final long startNanos;

	private final AtomicReference<State> state = new AtomicReference<>(State.HELD);

	/** Only ever replaced by a later one, while the earlier has not passed. */
	private volatile Validity validity;

	/** When to renew next, unless others are renewed shortly before. */
	private volatile long renewAtNanos;

	private volatile boolean renewing;

	/** Whether the last renewal failed and is tried again at a time of its own. */
	private volatile boolean retrying;

	/** Whether the store gave less than what was asked for, until a renewal lifts it. */
	private volatile boolean unconfirmed;

	Lease(Ticket ticket, Grant grant, LeaseTerms terms, TimeSource clock, LeaseEvents events) {
		this.ticket = ticket;
		this.lastToken = grant.lastToken();
		this.terms = terms;
		this.clock = clock;
		this.events = events;
		this.startNanos = clock.nanoTime();
		this.validity = grant.validity();
		this.unconfirmed = this.validity.remainingNanos(clock) < terms.lease().toNanos() / 100 * 95;
		this.renewAtNanos = plannedNanos();
	}

	/**
	 * Return whether the lock is held and its lease has not passed. If it finds that the
	 * lease has passed it makes the loss known.
	 * @return whether it is valid
	 */
	public boolean isValid() {
		return remainingNanos() > 0;
	}

	/**
	 * Return what is left of the lease.
	 * @return nanoseconds, zero if the lock is not held
	 */
	public long remainingNanos() {
		if (this.state.get() != State.HELD) {
			return 0;
		}
		long left = left();
		if (left > 0) {
			return left;
		}
		lose("its lease has passed");
		return 0;
	}

	/**
	 * Return whether the lock was lost.
	 * @return whether it was lost
	 */
	public boolean isLost() {
		return this.state.get() == State.LOST;
	}

	/**
	 * End the lease, unless it has been lost.
	 * @return whether it was valid until now
	 */
	public boolean close() {
		return isValid() && this.state.compareAndSet(State.HELD, State.CLOSED);
	}

	/**
	 * Make the loss known, unless the lease has ended before.
	 * @param reason why, in words
	 */
	public void lose(String reason) {
		if (this.state.compareAndSet(State.HELD, State.LOST)) {
			this.events.lost(this, reason);
		}
	}

	/**
	 * Return who holds.
	 * @return the ticket
	 */
	public Ticket ticket() {
		return this.ticket;
	}

	private long left() {
		long store = this.validity.remainingNanos(this.clock);
		return this.terms.renewed() ? store : Math.min(store, ownEndNanos());
	}

	/** For an explicit lease: enforced here, whatever the store believes. */
	private long ownEndNanos() {
		return this.terms.lease().toNanos() - (this.clock.nanoTime() - this.startNanos);
	}

	/** Nanoseconds until something is to be done: renew, or find the lease passed. */
	long untilNextEvent() {
		long end = left();
		if (needsRenewal() && !this.renewing) {
			return Math.min(end, this.renewAtNanos - this.clock.nanoTime());
		}
		return end;
	}

	boolean isHeld() {
		return this.state.get() == State.HELD;
	}

	boolean hasDeadOwner() {
		Thread owner = this.terms.owner();
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

	/**
	 * Begin a renewal.
	 * @return what to ask for
	 */
	Renewal beginRenewal() {
		this.renewing = true;
		// Never less than what another stay under the same grant was told it has.
		Duration lease = this.terms.renewed() ? this.terms.storeLease()
				: Duration.ofNanos(Math.max(1_000_000, ownEndNanos())).plus(this.terms.extra());
		return new Renewal(this.ticket, this.lastToken, lease);
	}

	/**
	 * The moment for which the next renewal is, or was, planned, whatever failed since.
	 */
	long plannedNanos() {
		Validity current = this.validity;
		// A third of what the store has given has passed by then.
		return current.sessionBound() ? this.startNanos + Long.MAX_VALUE / 4
				: current.baseNanos() + current.ttlNanos() / 3;
	}

	void renewed(Validity later) {
		this.unconfirmed = false;
		// If it passed before the answer came it is lost for good.
		if (isValid() && later.remainingNanos(this.clock) >= this.validity.remainingNanos(this.clock)) {
			this.validity = later;
			this.retrying = false;
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

	void renewNow() {
		this.renewAtNanos = this.clock.nanoTime();
	}

	/**
	 * Without a watchdog only a grant whose lease is still short, since the store waits
	 * for a confirmation, is renewed, once.
	 */
	private boolean needsRenewal() {
		if (!this.terms.renewed()) {
			return this.unconfirmed;
		}
		Duration maxHold = this.terms.maxHold();
		return maxHold == null || this.clock.nanoTime() - this.startNanos < maxHold.toNanos();
	}

}
