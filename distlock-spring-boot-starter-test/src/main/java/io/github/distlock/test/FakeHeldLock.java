package io.github.distlock.test;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.ReentrantLock;

import io.github.distlock.HeldLock;
import io.github.distlock.LockContext;
import io.github.distlock.LockLostException;
import io.github.distlock.LossCause;
import org.jspecify.annotations.Nullable;

/**
 * A lock that exists in no store, for tests without Spring of code that uses
 * {@link LockContext} or {@link io.github.distlock.LockAssert}:
 *
 * <pre>
 * try (LockContext.Scope scope = LockContext.open(FakeHeldLock.of("stock-42"))) {
 *     ledger.write("42", 9);
 * }
 * </pre>
 *
 * It is held until it is closed or lost. Thread-safe.
 */
public final class FakeHeldLock implements HeldLock {

	private final String key;

	private final long fencingToken;

	private final ReentrantLock lock = new ReentrantLock();

	/** Guarded by {@link #lock}, like the changes to {@link #lost}. */
	private final List<Runnable> callbacks = new ArrayList<>();

	private volatile boolean lost;

	/** Written before {@link #lost}. */
	private volatile @Nullable LossCause lossCause;

	private final AtomicBoolean closed = new AtomicBoolean();

	private volatile boolean released;

	private FakeHeldLock(String key, long fencingToken) {
		this.key = key;
		this.fencingToken = fencingToken;
	}

	/**
	 * Create a held lock with the fencing token 1.
	 * @param key key of the lock
	 * @return the lock
	 */
	public static FakeHeldLock of(String key) {
		return of(key, 1);
	}

	/**
	 * Create a held lock.
	 * @param key key of the lock
	 * @param fencingToken the fencing token
	 * @return the lock
	 */
	public static FakeHeldLock of(String key, long fencingToken) {
		return new FakeHeldLock(key, fencingToken);
	}

	/**
	 * Lose the lock because its lease has expired. The callbacks run on the calling
	 * thread, and the lock is no longer held.
	 */
	public void lose() {
		lose(LossCause.LEASE_EXPIRED);
	}

	/**
	 * Lose the lock. The callbacks run on the calling thread, and the lock is no longer
	 * held. Does nothing if the lock is already lost.
	 * @param cause why the lock is lost
	 */
	public void lose(LossCause cause) {
		List<Runnable> lossCallbacks;
		this.lock.lock();
		try {
			if (!this.lost) {
				this.lossCause = cause;
			}
			this.lost = true;
			lossCallbacks = List.copyOf(this.callbacks);
			this.callbacks.clear();
		}
		finally {
			this.lock.unlock();
		}
		lossCallbacks.forEach(Runnable::run);
	}

	@Override
	public String key() {
		return this.key;
	}

	@Override
	public long fencingToken() {
		return this.fencingToken;
	}

	@Override
	public boolean isHeld() {
		return !this.lost && !this.closed.get();
	}

	@Override
	public Duration remaining() {
		return isHeld() ? Duration.ofSeconds(30) : Duration.ZERO;
	}

	@Override
	public boolean isReleased() {
		return this.released;
	}

	@Override
	public @Nullable LossCause lossCause() {
		return this.released ? null : this.lossCause;
	}

	@Override
	public void onLost(Runnable callback) {
		this.lock.lock();
		try {
			if (!this.lost) {
				this.callbacks.add(callback);
				return;
			}
		}
		finally {
			this.lock.unlock();
		}
		callback.run();
	}

	/** The time does not pass by itself: the test decides when the lock is lost. */
	@Override
	public void expireAfter(Duration leaseTime) {
		if (this.closed.get()) {
			throw new IllegalMonitorStateException("The lock '" + this.key + "' was closed before");
		}
		if (this.lost) {
			throw new LockLostException("The lock '" + this.key + "' was lost before its lease began", this.lossCause,
					null);
		}
	}

	@Override
	public void close() {
		if (!this.closed.compareAndSet(false, true)) {
			throw new IllegalMonitorStateException("The lock '" + this.key + "' was closed before");
		}
		if (this.lost) {
			throw new LockLostException("The lock '" + this.key + "' was lost before it was closed", this.lossCause,
					null);
		}
		this.released = true;
	}

}
