package io.github.distlock.renewal;

import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;

import io.github.distlock.LossCause;
import org.jspecify.annotations.Nullable;

/**
 * Whether a lease is held. It is held, then ended or lost, once: the first change of
 * {@link #state} decides. A superclass and no field of {@link Lease}, so that a held lock
 * is one object.
 * <p>
 * Invariant: after a query has answered that the lease is not held, it is never held
 * again. A query that finds the time used up therefore changes the state to
 * {@link #PASSED}. That has no other effect: the scan at the deadline, a close or an
 * answer of the store makes the loss known. A renewal that is acknowledged later changes
 * the time that is left, but not the state. Only compare-and-set changes the state. The
 * cause of a loss is part of it, since a held lock has to be small.
 */
abstract class LeaseState {

	private static final int HELD = 0;

	/** A query has found that the lease has passed. The loss is not known yet. */
	private static final int PASSED = 1;

	/** Ended by its holder. */
	private static final int ENDED = 2;

	/** Ended by its holder for a downgrade, during which its time has passed. */
	private static final int PASSED_AFTER_END = 3;

	/** Ended by its holder, which holds the lock under another lease. */
	private static final int CONTINUED = 4;

	private static final int LOST = 5;

	/** The lower bits of the state. */
	private static final int KIND = 7;

	/** The upper bits are the cause of a loss, if any: its ordinal. */
	private static final int CAUSE_SHIFT = 3;

	private static final LossCause[] CAUSES = LossCause.values();

	private static final AtomicIntegerFieldUpdater<LeaseState> STATE = AtomicIntegerFieldUpdater
		.newUpdater(LeaseState.class, "state");

	private volatile int state = HELD;

	/**
	 * Return what is left of the lease, whatever its state.
	 * @return nanoseconds, zero or less if it has passed
	 */
	abstract long left();

	/**
	 * Return why nothing is left of the lease.
	 * @return the cause
	 */
	abstract LossCause whyPassed();

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
		return leftIn(HELD, PASSED);
	}

	private long leftIn(int valid, int passed) {
		if (this.state != valid) {
			return 0;
		}
		long left = left();
		if (left <= 0) {
			STATE.compareAndSet(this, valid, with(passed, whyPassed()));
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
		lose(whyPassed());
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
		if ((now & KIND) == PASSED && found != null && STATE.compareAndSet(this, now, with(LOST, found))) {
			lost(found, found.description());
		}
	}

	/**
	 * Make known that what the lease was ended for did not come about.
	 * @param cause why
	 * @param reason why, in words
	 */
	public final void loseAfterEnd(LossCause cause, String reason) {
		if (foundLost(cause)) {
			lost(cause, reason);
		}
	}

	/**
	 * Note that the lock had been lost before the lease was ended. Calls nothing.
	 * @param cause why
	 * @return whether this is the first to say so
	 */
	public final boolean foundLost(LossCause cause) {
		int now = this.state;
		int kind = now & KIND;
		return (kind == ENDED || kind == PASSED_AFTER_END) && STATE.compareAndSet(this, now, with(LOST, cause));
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
		return checkExpired() && (this.state & KIND) == LOST;
	}

	/**
	 * Return whether the lease is valid, or was ended while it was. Has no side effects.
	 * @return whether it was not lost
	 */
	public final boolean isIntact() {
		// First the time: the lease may be ended between the two looks.
		boolean inTime = left() > 0;
		int now = this.state;
		return now == ENDED || now == CONTINUED || (now == HELD && inTime);
	}

	/**
	 * Return what is left of the store's grant although this lease has ended: for one who
	 * goes on to hold the lock in another way.
	 * @return nanoseconds, zero if the lease goes on or was lost
	 */
	protected final long leftAfterEnd() {
		return leftIn(ENDED, PASSED_AFTER_END);
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
		return now == HELD || (now & KIND) == PASSED;
	}

	/** Whether the loss is to be made known. */
	final boolean hasPassed() {
		return (this.state & KIND) == PASSED;
	}

}
