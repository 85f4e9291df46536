package io.github.distlock.registry;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;

import io.github.distlock.HeldLock;
import io.github.distlock.LockMode;
import io.github.distlock.LockRequest;
import org.jspecify.annotations.Nullable;

/**
 * One acquisition, as its caller sees it. Each has an identity of its own: closing it
 * twice is an error and gives back nothing of another's.
 */
final class HoldHandle implements HeldLock {

	private static final int OUTERMOST = 0;

	private static final int REENTRY = 1;

	private static final int CLOSED = 2;

	private static final AtomicIntegerFieldUpdater<HoldHandle> STATE = AtomicIntegerFieldUpdater
		.newUpdater(HoldHandle.class, "state");

	private final Hold hold;

	/** In which this level was entered. */
	private final LockMode mode;

	private volatile int state;

	HoldHandle(Hold hold, LockMode mode) {
		this.hold = hold;
		this.mode = mode;
		this.state = hold.isEnteredOnce() ? OUTERMOST : REENTRY;
	}

	/** The hold, if it is one of these and this acquisition of it is open. */
	@Nullable Hold openIn(Holding candidate) {
		return (this.hold.holding() == candidate && this.state != CLOSED) ? this.hold : null;
	}

	@Override
	public String key() {
		return this.hold.key();
	}

	@Override
	public long fencingToken() {
		return this.hold.current().admission().fencingToken();
	}

	@Override
	public boolean isHeld() {
		return this.state != CLOSED && this.hold.leftNanos() > 0;
	}

	@Override
	public Duration remaining() {
		return (this.state == CLOSED) ? Duration.ZERO : Duration.ofNanos(this.hold.leftNanos());
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
		if (this.state == OUTERMOST) {
			this.hold.holding().expireAfter(this.hold.current(), leaseTime);
		}
	}

	@Override
	public void close() {
		end();
		this.hold.holding().leave(this.hold, this.mode);
	}

	@Override
	public void abandon() {
		end();
		this.hold.holding().abandon(this.hold, this.mode);
	}

	private void end() {
		if (STATE.getAndSet(this, CLOSED) == CLOSED) {
			throw new IllegalMonitorStateException(
					"Lock '" + key() + "' was closed before by this holder: close each acquisition once");
		}
	}

	@Override
	public String toString() {
		return "HeldLock[" + key() + ", token " + fencingToken() + ", " + (isHeld() ? "held" : "not held") + "]";
	}

}
