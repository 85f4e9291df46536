package io.github.distlock.registry;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;

import io.github.distlock.backend.TimeSource;
import io.github.distlock.thread.LockThreads;
import org.jspecify.annotations.Nullable;

/**
 * The locks of one key in two registries as one {@link Lock}.
 */
final class CompositeLock implements Lock {

	private final String key;

	private final Lock first;

	private final Lock second;

	private final ViewLevels levels;

	private final TimeSource clock;

	CompositeLock(String key, Lock first, Lock second, ViewLevels levels, TimeSource clock) {
		this.key = key;
		this.first = first;
		this.second = second;
		this.levels = levels;
		this.clock = clock;
	}

	@Override
	public void lock() {
		this.first.lock();
		try {
			acquireSecond(() -> {
				this.second.lock();
				return true;
			});
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException("An uninterruptible wait was interrupted", ex);
		}
	}

	@Override
	public void lockInterruptibly() throws InterruptedException {
		this.first.lockInterruptibly();
		acquireSecond(() -> {
			this.second.lockInterruptibly();
			return true;
		});
	}

	@Override
	public boolean tryLock() {
		try {
			return this.first.tryLock() && acquireSecond(this.second::tryLock);
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException("An uninterruptible attempt was interrupted", ex);
		}
	}

	@Override
	public boolean tryLock(long time, TimeUnit unit) throws InterruptedException {
		CompositeLockRegistry.SharedWait wait = new CompositeLockRegistry.SharedWait(
				(time > 0) ? Duration.ofNanos(unit.toNanos(time)) : Duration.ZERO, this.clock);
		return this.first.tryLock(time, unit)
				&& acquireSecond(() -> this.second.tryLock(wait.remaining().toNanos(), TimeUnit.NANOSECONDS));
	}

	/** Acquire the second lock, or release the first one if that fails. */
	private boolean acquireSecond(SecondAcquisition acquisition) throws InterruptedException {
		boolean acquired;
		try {
			acquired = acquisition.acquire();
		}
		catch (InterruptedException | RuntimeException | Error ex) {
			releaseFirst(ex);
			throw ex;
		}
		if (acquired) {
			this.levels.enter(this.key);
		}
		else {
			releaseFirst(new IllegalStateException("The second lock was not acquired"));
		}
		return acquired;
	}

	private void releaseFirst(Throwable reason) {
		try {
			this.first.unlock();
		}
		catch (RuntimeException | Error ex) {
			reason.addSuppressed(ex);
		}
	}

	@Override
	public void unlock() {
		if (!this.levels.leave(this.key)) {
			throw new IllegalMonitorStateException("Thread '" + LockThreads.describe(Thread.currentThread())
					+ "' does not hold lock '" + this.key + "' in both registries: call unlock() only after lock()");
		}
		CompositeHeldLock.releaseBoth(this.second::unlock, this.first::unlock);
	}

	@Override
	public Condition newCondition() {
		throw new UnsupportedOperationException("A distributed lock has no conditions");
	}

	@Override
	public String toString() {
		return "Lock[" + this.first + " and " + this.second + "]";
	}

	/** A way to acquire the second lock. */
	@FunctionalInterface
	private interface SecondAcquisition {

		boolean acquire() throws InterruptedException;

	}

	/**
	 * How often each thread has acquired each key through the views of one composite. An
	 * additional unlock must not release a lock that the thread holds in one of the
	 * members outside the composite.
	 */
	static final class ViewLevels {

		private final ThreadLocal<@Nullable Map<String, Integer>> levels = new ThreadLocal<>();

		void enter(String key) {
			Map<String, Integer> counts = this.levels.get();
			if (counts == null) {
				counts = new HashMap<>();
				this.levels.set(counts);
			}
			counts.merge(key, 1, Integer::sum);
		}

		/**
		 * Leave one level.
		 * @return whether there was one
		 */
		boolean leave(String key) {
			Map<String, Integer> counts = this.levels.get();
			if (counts == null || !counts.containsKey(key)) {
				return false;
			}
			counts.computeIfPresent(key, (same, level) -> (level > 1) ? level - 1 : null);
			if (counts.isEmpty()) {
				this.levels.remove();
			}
			return true;
		}

	}

}
