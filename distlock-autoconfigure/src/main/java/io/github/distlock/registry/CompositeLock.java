package io.github.distlock.registry;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;

import io.github.distlock.backend.TimeSource;

/**
 * The locks of one key in two registries as one {@link Lock}. It keeps no levels of its
 * own: an additional unlock is refused by the members, if they are not held either.
 *
 * @param first the lock in the first registry
 * @param second the lock in the second registry
 * @param clock the time source
 */
record CompositeLock(Lock first, Lock second, TimeSource clock) implements Lock {

	@Override
	public void lock() {
		acquire((part) -> {
			part.lock();
			return true;
		});
	}

	@Override
	public void lockInterruptibly() throws InterruptedException {
		acquire((part) -> {
			part.lockInterruptibly();
			return true;
		});
	}

	@Override
	public boolean tryLock() {
		return acquire(Lock::tryLock);
	}

	@Override
	public boolean tryLock(long time, TimeUnit unit) throws InterruptedException {
		long nanos = unit.toNanos(Math.max(time, 0));
		long start = this.clock.nanoTime();
		return acquire((part) -> part.tryLock(nanos - (this.clock.nanoTime() - start), TimeUnit.NANOSECONDS));
	}

	/** Acquire both locks, or none. */
	private <X extends Exception> boolean acquire(PartAcquisition<X> acquisition) throws X {
		if (!acquisition.acquire(this.first)) {
			return false;
		}
		boolean acquired = false;
		try {
			acquired = acquisition.acquire(this.second);
		}
		finally {
			if (!acquired) {
				CompositeHeldLock.releaseUnused(this.first::unlock);
			}
		}
		return acquired;
	}

	@Override
	public void unlock() {
		CompositeHeldLock.releaseBoth(this.first::unlock, this.second::unlock);
	}

	@Override
	public Condition newCondition() {
		throw new UnsupportedOperationException("A distributed lock has no conditions");
	}

	/** A way to acquire one of the locks. */
	private interface PartAcquisition<X extends Exception> {

		boolean acquire(Lock part) throws X;

	}

}
