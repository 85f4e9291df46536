package io.github.distlock.registry;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;

import io.github.distlock.HeldLock;
import io.github.distlock.LockMode;

/**
 * One acquisition, as its caller sees it. Each has an identity of its own: closing it
 * twice is an error and gives back nothing of another's.
 */
final class HoldHandle implements HeldLock {

	private static final AtomicIntegerFieldUpdater<HoldHandle> CLOSED = AtomicIntegerFieldUpdater
		.newUpdater(HoldHandle.class, "closed");

	private final Hold hold;

	/** In which this level was entered. */
	private final LockMode mode;

	private volatile int closed;

	HoldHandle(Hold hold, LockMode mode) {
		this.hold = hold;
		this.mode = mode;
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
		return this.closed == 0 && this.hold.leftNanos() > 0;
	}

	@Override
	public Duration remaining() {
		return (this.closed != 0) ? Duration.ZERO : Duration.ofNanos(this.hold.leftNanos());
	}

	@Override
	public void onLost(Runnable callback) {
		if (!this.hold.keep(callback)) {
			callback.run();
		}
	}

	@Override
	public void close() {
		if (!CLOSED.compareAndSet(this, 0, 1)) {
			throw new IllegalMonitorStateException(
					"Lock '" + key() + "' was closed before by this holder: close each acquisition once");
		}
		this.hold.holding().leave(this.hold, this.mode);
	}

	@Override
	public String toString() {
		return "HeldLock[" + key() + ", token " + fencingToken() + ", " + (isHeld() ? "held" : "not held") + "]";
	}

}
