package io.github.distlock.registry;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;

import io.github.distlock.HeldLock;

/**
 * One acquisition, as its caller sees it. Each has an identity of its own: closing it
 * twice is an error and gives back nothing of another's.
 */
final class HoldHandle implements HeldLock {

	private final Hold hold;

	private final Holding holding;

	private final AtomicBoolean closed = new AtomicBoolean();

	HoldHandle(Hold hold, Holding holding) {
		this.hold = hold;
		this.holding = holding;
	}

	@Override
	public String key() {
		return this.hold.key();
	}

	@Override
	public long fencingToken() {
		return this.hold.admission().fencingToken();
	}

	@Override
	public boolean isHeld() {
		return !this.closed.get() && this.hold.lease().isValid();
	}

	@Override
	public Duration remaining() {
		return this.closed.get() ? Duration.ZERO : Duration.ofNanos(this.hold.lease().remainingNanos());
	}

	@Override
	public void onLost(Runnable callback) {
		if (!this.hold.keep(callback)) {
			callback.run();
		}
	}

	@Override
	public void close() {
		if (!this.closed.compareAndSet(false, true)) {
			throw new IllegalMonitorStateException(
					"Lock '" + key() + "' was closed before by this holder: close each acquisition once");
		}
		this.holding.leave(this.hold);
	}

	@Override
	public String toString() {
		return "HeldLock[" + key() + ", token " + fencingToken() + ", " + (isHeld() ? "held" : "not held") + "]";
	}

}
