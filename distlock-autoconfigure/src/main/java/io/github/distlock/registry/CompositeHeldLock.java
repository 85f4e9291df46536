package io.github.distlock.registry;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;

import io.github.distlock.HeldLock;
import io.github.distlock.LossCause;
import org.jspecify.annotations.Nullable;

/**
 * A lock that is held in two registries, as its caller sees it.
 */
final class CompositeHeldLock implements HeldLock {

	private final HeldLock first;

	private final HeldLock second;

	private final AtomicBoolean closed = new AtomicBoolean();

	CompositeHeldLock(HeldLock first, HeldLock second) {
		this.first = first;
		this.second = second;
	}

	HeldLock first() {
		return this.first;
	}

	HeldLock second() {
		return this.second;
	}

	@Override
	public String key() {
		return this.first.key();
	}

	@Override
	public String name() {
		return this.first.name();
	}

	@Override
	public long fencingToken() {
		return this.first.fencingToken();
	}

	@Override
	public boolean isHeld() {
		return !this.closed.get() && this.first.isHeld() && this.second.isHeld();
	}

	@Override
	public boolean isSessionBound() {
		return this.first.isSessionBound() && this.second.isSessionBound();
	}

	@Override
	public boolean confirmHeld() {
		return !this.closed.get() && this.first.confirmHeld() && this.second.confirmHeld();
	}

	@Override
	public Duration remaining() {
		if (!isHeld()) {
			return Duration.ZERO;
		}
		Duration ofFirst = this.first.remaining();
		Duration ofSecond = this.second.remaining();
		return (ofFirst.compareTo(ofSecond) < 0) ? ofFirst : ofSecond;
	}

	/** While one part is being released the other may still be held. */
	@Override
	public boolean isReleased() {
		return this.closed.get() && isIntact(this.first) && isIntact(this.second);
	}

	@Override
	public @Nullable LossCause lossCause() {
		LossCause ofFirst = this.first.lossCause();
		return (ofFirst != null) ? ofFirst : this.second.lossCause();
	}

	private static boolean isIntact(HeldLock part) {
		return part.isHeld() || part.isReleased();
	}

	@Override
	public void onLost(Runnable callback) {
		AtomicBoolean called = new AtomicBoolean();
		Runnable once = () -> {
			if (called.compareAndSet(false, true)) {
				callback.run();
			}
		};
		this.first.onLost(once);
		this.second.onLost(once);
	}

	@Override
	public void expireAfter(Duration leaseTime) {
		if (this.closed.get()) {
			throw closedBefore();
		}
		this.first.expireAfter(leaseTime);
		this.second.expireAfter(leaseTime);
	}

	@Override
	public void close() {
		markClosed();
		releaseBoth(this.second::close, this.first::close);
	}

	@Override
	public void abandon() {
		markClosed();
		releaseBoth(this.second::abandon, this.first::abandon);
	}

	/**
	 * Run two releases. The second runs even if the first fails.
	 */
	static void releaseBoth(Runnable before, Runnable after) {
		try {
			before.run();
		}
		catch (RuntimeException | Error ex) {
			try {
				after.run();
			}
			catch (RuntimeException problem) {
				ex.addSuppressed(problem);
			}
			throw ex;
		}
		after.run();
	}

	private void markClosed() {
		if (!this.closed.compareAndSet(false, true)) {
			throw closedBefore();
		}
	}

	private IllegalMonitorStateException closedBefore() {
		return new IllegalMonitorStateException("Lock '" + key()
				+ "' was closed before by this holder: close each acquisition once, and do not use it afterwards");
	}

	@Override
	public String toString() {
		return "HeldLock[" + this.first + " and " + this.second + "]";
	}

}
