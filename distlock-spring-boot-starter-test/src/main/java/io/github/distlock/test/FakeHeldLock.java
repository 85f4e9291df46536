package io.github.distlock.test;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;

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

	/** Completed by the loss. Later callbacks run at once. */
	private final CompletableFuture<LossCause> loss = new CompletableFuture<>();

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
		this.loss.complete(cause);
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
		return !this.loss.isDone() && !this.closed.get();
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
		return this.released ? null : this.loss.getNow(null);
	}

	@Override
	public void onLost(Runnable callback) {
		this.loss.thenRun(callback);
	}

	@Override
	public void close() {
		if (!this.closed.compareAndSet(false, true)) {
			throw new IllegalMonitorStateException("The lock '" + this.key + "' was closed before");
		}
		if (this.loss.isDone()) {
			throw new LockLostException(this.key, fencingToken(), "before it was closed", lossCause(),
					"The test has lost it", null);
		}
		this.released = true;
	}

}
