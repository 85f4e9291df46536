package io.github.distlock.renewal;

import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;

/**
 * Whether a lease is held. It is held, then ended or lost, once: the first change of
 * {@link #state} decides. A superclass and no field of {@link Lease}, so that a held lock
 * is one object.
 */
abstract class LeaseState {

	private static final int HELD = 0;

	private static final int ENDED = 1;

	private static final int LOST = 2;

	private static final AtomicIntegerFieldUpdater<LeaseState> STATE = AtomicIntegerFieldUpdater
		.newUpdater(LeaseState.class, "state");

	private volatile int state = HELD;

	/**
	 * Return what is left of the lease, whatever its state.
	 * @return nanoseconds, zero or less if it has passed
	 */
	abstract long left();

	/**
	 * The lease was lost. Called once, on any thread; must not block.
	 * @param reason why, in words
	 */
	protected abstract void lost(String reason);

	/**
	 * Return whether the lock is held and its lease has not passed. If it finds that the
	 * lease has passed it makes the loss known.
	 * @return whether it is valid
	 */
	public final boolean isValid() {
		return remainingNanos() > 0;
	}

	/**
	 * Return what is left of the lease.
	 * @return nanoseconds, zero if the lock is not held
	 */
	public final long remainingNanos() {
		if (this.state != HELD) {
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
	 * End the lease, unless it has been lost.
	 * @return whether it was valid until now
	 */
	public final boolean endLease() {
		return isValid() && STATE.compareAndSet(this, HELD, ENDED);
	}

	/**
	 * Make the loss known, unless the lease has ended before.
	 * @param reason why, in words
	 */
	public final void lose(String reason) {
		if (STATE.compareAndSet(this, HELD, LOST)) {
			lost(reason);
		}
	}

	/**
	 * Make known that what the lease was ended for did not come about.
	 * @param reason why, in words
	 */
	public final void loseAfterEnd(String reason) {
		if (STATE.compareAndSet(this, ENDED, LOST)) {
			lost(reason);
		}
	}

	/**
	 * Return whether it has been lost. If it finds that the lease has passed it makes the
	 * loss known.
	 * @return whether it was not ended before
	 */
	public final boolean isLost() {
		return !isValid() && this.state == LOST;
	}

	/**
	 * Return whether the lease is valid, or was ended while it was. Has no side effects.
	 * @return whether it was not lost
	 */
	public final boolean isIntact() {
		// First the time: the lease may be ended between the two looks.
		boolean inTime = left() > 0;
		int now = this.state;
		return now == ENDED || (now == HELD && inTime);
	}

	/**
	 * Return what is left of the store's grant although this lease has ended: for one who
	 * goes on to hold the lock in another way.
	 * @return nanoseconds, zero if the lease goes on or was lost
	 */
	protected final long leftAfterEnd() {
		return (this.state == ENDED) ? Math.max(0, left()) : 0;
	}

	final boolean isHeld() {
		return this.state == HELD;
	}

}
