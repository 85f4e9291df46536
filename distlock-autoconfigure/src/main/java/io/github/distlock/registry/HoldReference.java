package io.github.distlock.registry;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;
import java.util.function.BiPredicate;

import io.github.distlock.LockException;
import io.github.distlock.LockLostException;
import io.github.distlock.LockRequest;
import io.github.distlock.LossCause;
import io.github.distlock.backend.ControlledLock;
import io.github.distlock.backend.local.LocalLockBackend;
import io.github.distlock.engine.Hold;
import org.jspecify.annotations.Nullable;

/**
 * One acquisition, as its caller sees it. Each acquisition has an identity of its own:
 * closing it twice is an error and does not release another acquisition.
 */
final class HoldReference implements ControlledLock {

	private static final int OUTERMOST = 0;

	private static final int REENTRY = 1;

	/**
	 * The release is under way. The lease decides whether the lock was held until now.
	 */
	private static final int CLOSING = 2;

	private static final int RELEASED = 3;

	private static final int LOST = 4;

	private static final AtomicIntegerFieldUpdater<HoldReference> STATE = AtomicIntegerFieldUpdater
		.newUpdater(HoldReference.class, "state");

	private final Hold hold;

	private final String key;

	/**
	 * {@link #OUTERMOST} or {@link #REENTRY}, then {@link #CLOSING}, then
	 * {@link #RELEASED} or {@link #LOST}. The caller that sets {@link #CLOSING} closes
	 * the lock and sets the last state, unless it does not wait for the store.
	 */
	private volatile int state;

	/**
	 * Create the reference of a caller.
	 * @param key the key as the caller gave it
	 */
	HoldReference(Hold hold, String key) {
		this.hold = hold;
		this.key = key;
		this.state = (hold.levels() == 1) ? OUTERMOST : REENTRY;
	}

	/** Return the hold if this acquisition of it is open. */
	@Nullable Hold openHold() {
		return isOpen() ? this.hold : null;
	}

	@Override
	public String key() {
		return this.key;
	}

	@Override
	public String name() {
		return this.hold.label();
	}

	@Override
	public long fencingToken() {
		return this.hold.fencingToken();
	}

	@Override
	public boolean isHeld() {
		return isOpen() && this.hold.isValid();
	}

	@Override
	public boolean isSessionBound() {
		return this.hold.validity().sessionBound();
	}

	@Override
	public @Nullable FencedGrant fencedGrant() {
		FencedGrant grant = this.hold.context().fencedGrant(this.hold);
		return (grant == null || grant.backend().equals(LocalLockBackend.NAME)) ? null : grant;
	}

	@Override
	public boolean confirmHeld() {
		return isHeld() && this.hold.context().confirm(this.hold) && isOpen();
	}

	@Override
	public Duration remaining() {
		if (!isOpen()) {
			return Duration.ZERO;
		}
		return Duration.ofNanos(Math.min(this.hold.remainingNanos(), this.hold.validity().sessionNanos()));
	}

	/** A later loss does not concern a level that was released in time. */
	@Override
	public @Nullable LossCause lossCause() {
		return isReleased() ? null : this.hold.lossCause();
	}

	private boolean isOpen() {
		return this.state < CLOSING;
	}

	/**
	 * While the release is under way the lease decides: a commit at that moment must not
	 * fail because of a lock that is released in time.
	 */
	@Override
	public boolean isReleased() {
		int current = this.state;
		return current == RELEASED || (current == CLOSING && this.hold.isIntact());
	}

	@Override
	public void onLost(Runnable callback) {
		if (!this.hold.addLossCallback(callback) && !isReleased()) {
			callback.run();
		}
	}

	@Override
	public void expireAfter(Duration leaseTime) {
		// Validates the lease time.
		LockRequest.of(key()).leaseTime(leaseTime);
		if (!isOpen()) {
			throw closedBefore();
		}
		if (this.state == OUTERMOST) {
			this.hold.context().expireAfter(this.hold, leaseTime);
		}
	}

	@Override
	public void close() {
		close((hold, last) -> hold.context().release(hold, last, null));
	}

	@Override
	public CompletableFuture<Void> closeAsync() {
		CompletableFuture<Void> closed = new CompletableFuture<>();
		try {
			if (close((hold, last) -> hold.context().release(hold, last, closed))) {
				closed.complete(null);
			}
		}
		catch (LockException | IllegalMonitorStateException ex) {
			closed.completeExceptionally(ex);
		}
		return closed;
	}

	@Override
	public void abandon() {
		close((hold, last) -> hold.context().abandon(hold, last));
	}

	/**
	 * Release this level.
	 * @return whether it is released. If the answer of the store is still to come, the
	 * state stays {@link #CLOSING}: this was the last level, so the hold knows all
	 */
	private boolean close(BiPredicate<Hold, Boolean> release) {
		int open = this.state;
		if (open >= CLOSING || !STATE.compareAndSet(this, open, CLOSING)) {
			throw closedBefore();
		}
		// At once: if an error follows, the sweep releases a lock without levels.
		boolean last = this.hold.leaveLevel(false);
		try {
			boolean released = release.test(this.hold, last);
			if (released) {
				this.state = RELEASED;
			}
			return released;
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
