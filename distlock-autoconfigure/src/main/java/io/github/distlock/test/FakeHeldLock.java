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
 * A lock that nobody keeps, for tests without Spring of code that asks
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

	/** Guarded by {@link #lock}, as are its changes to {@link #lost}. */
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
	 * Hold a key with the token 1.
	 * @param key what is locked
	 * @return the lock
	 */
	public static FakeHeldLock of(String key) {
		return of(key, 1);
	}

	/**
	 * Hold a key.
	 * @param key what is locked
	 * @param fencingToken the token
	 * @return the lock
	 */
	public static FakeHeldLock of(String key, long fencingToken) {
		return new FakeHeldLock(key, fencingToken);
	}

	/**
	 * Lose it because its lease has passed: callbacks run, on this thread, and it is held
	 * no more.
	 */
	public void lose() {
		lose(LossCause.LEASE_EXPIRED);
	}

	/**
	 * Lose it: callbacks run, on this thread, and it is held no more. Does nothing if it
	 * is lost already.
	 * @param cause why
	 */
	public void lose(LossCause cause) {
		List<Runnable> told;
		this.lock.lock();
		try {
			if (!this.lost) {
				this.lossCause = cause;
			}
			this.lost = true;
			told = List.copyOf(this.callbacks);
			this.callbacks.clear();
		}
		finally {
			this.lock.unlock();
		}
		told.forEach(Runnable::run);
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

	/** Its time does not pass: it is lost when the test says so. */
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
