package io.github.distlock.registry;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;

import io.github.distlock.HeldLock;
import io.github.distlock.LockLostException;
import io.github.distlock.LockMode;
import io.github.distlock.LockRequest;
import io.github.distlock.LossCause;
import org.jspecify.annotations.Nullable;

/**
 * One acquisition, as its caller sees it. Each has an identity of its own: closing it
 * twice is an error and gives back nothing of another's.
 */
final class HoldReference implements HeldLock {

	private static final int OUTERMOST = 0;

	private static final int REENTRY = 1;

	/** The lease decides whether it was held until now. */
	private static final int CLOSING = 2;

	private static final int RELEASED = 3;

	private static final int LOST = 4;

	private static final AtomicIntegerFieldUpdater<HoldReference> STATE = AtomicIntegerFieldUpdater
		.newUpdater(HoldReference.class, "state");

	private final Hold hold;

	/** In which this level was entered. */
	private final LockMode mode;

	/**
	 * {@link #OUTERMOST} or {@link #REENTRY}, then {@link #CLOSING}, then
	 * {@link #RELEASED} or {@link #LOST}. The caller that sets {@link #CLOSING} closes
	 * the lock and sets the last state.
	 */
	private volatile int state;

	HoldReference(Hold hold, LockMode mode) {
		this.hold = hold;
		this.mode = mode;
		this.state = hold.isEnteredOnce() ? OUTERMOST : REENTRY;
	}

	/** The hold, if it is one of these and this acquisition of it is open. */
	@Nullable Hold openHoldOf(Hold.Owner candidate) {
		return (this.hold.owner() == candidate && isOpen()) ? this.hold : null;
	}

	@Override
	public String key() {
		return this.hold.key();
	}

	@Override
	public long fencingToken() {
		return this.hold.current().holder().fencingToken();
	}

	@Override
	public boolean isHeld() {
		return isOpen() && this.hold.remainingLockNanos() > 0;
	}

	@Override
	public boolean isSessionBound() {
		return this.hold.current().validity().sessionBound();
	}

	@Override
	public boolean confirmHeld() {
		return isHeld() && this.hold.confirm() && isOpen();
	}

	@Override
	public Duration remaining() {
		if (!isOpen()) {
			return Duration.ZERO;
		}
		return Duration
			.ofNanos(Math.min(this.hold.remainingLockNanos(), this.hold.current().validity().sessionNanos()));
	}

	/** Of a level that was released in time the loss of others means nothing. */
	@Override
	public @Nullable LossCause lossCause() {
		return isReleased() ? null : this.hold.current().lossCause();
	}

	private boolean isOpen() {
		return this.state < CLOSING;
	}

	/**
	 * While the release is on its way to the store the lease decides: a commit at that
	 * moment must not fail because of a lock that is released in time.
	 */
	@Override
	public boolean isReleased() {
		int now = this.state;
		return now == RELEASED || (now == CLOSING && this.hold.isIntactNow());
	}

	@Override
	public void onLost(Runnable callback) {
		if (!this.hold.keep(callback)) {
			callback.run();
		}
	}

	@Override
	public void expireAfter(Duration leaseTime) {
		// Says what is wrong with it.
		LockRequest.of(key()).leaseTime(leaseTime);
		if (!isOpen()) {
			throw closedBefore();
		}
		if (this.state == OUTERMOST) {
			this.hold.owner().expireAfter(this.hold.current(), leaseTime);
		}
	}

	@Override
	public void close() {
		end(() -> this.hold.owner().leave(this.hold, this.mode));
	}

	@Override
	public void abandon() {
		end(() -> this.hold.owner().abandon(this.hold, this.mode));
	}

	private void end(Runnable leave) {
		if (STATE.getAndUpdate(this, (now) -> Math.max(now, CLOSING)) >= CLOSING) {
			throw closedBefore();
		}
		try {
			leave.run();
			this.state = RELEASED;
		}
		catch (LockLostException ex) {
			this.state = LOST;
			throw ex;
		}
	}

	private IllegalMonitorStateException closedBefore() {
		return new IllegalMonitorStateException("Lock '" + key()
				+ "' was closed before by this holder: close each acquisition once, and do not use it afterwards");
	}

	@Override
	public String toString() {
		return "HeldLock[" + key() + ", token " + fencingToken() + ", " + (isHeld() ? "held" : "not held") + "]";
	}

}
