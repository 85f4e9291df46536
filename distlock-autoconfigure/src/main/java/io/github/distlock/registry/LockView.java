package io.github.distlock.registry;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;
import java.util.function.Supplier;

import io.github.distlock.LockRequest;
import io.github.distlock.thread.LockThreads;

/**
 * The lock of one key as a {@link Lock}: owned by a thread, reentrant, and renewed by the
 * watchdog. It has no state of its own, so the views of one key are interchangeable and
 * equal.
 *
 * @param request the lock
 * @param operations acquires it; the same supplier for all views of a registry
 * @param holdsOfThread the locks of each thread, those of earlier runs of the registry
 * included
 */
record LockView(LockRequest request, Supplier<LockOperations> operations,
		ThreadLocal<Map<String, Hold>> holdsOfThread) implements Lock {

	@Override
	public void lock() {
		acquireUninterruptibly(LockRequest.FOREVER);
	}

	@Override
	public void lockInterruptibly() throws InterruptedException {
		acquire(LockRequest.FOREVER, true);
	}

	@Override
	public boolean tryLock() {
		return acquireUninterruptibly(Duration.ZERO);
	}

	@Override
	public boolean tryLock(long time, TimeUnit unit) throws InterruptedException {
		return acquire((time > 0) ? Duration.ofNanos(unit.toNanos(time)) : Duration.ZERO, true);
	}

	@Override
	public void unlock() {
		Hold hold = this.holdsOfThread.get().get(this.request.key());
		if (hold == null || !hold.leaveView()) {
			throw new IllegalMonitorStateException("Thread '" + LockThreads.describe(Thread.currentThread())
					+ "' does not hold lock '" + this.request.key() + "': call unlock() only after lock()");
		}
		hold.heldLocks().release(hold);
	}

	@Override
	public Condition newCondition() {
		throw new UnsupportedOperationException("A distributed lock has no conditions");
	}

	private boolean acquireUninterruptibly(Duration waitTime) {
		try {
			return acquire(waitTime, false);
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException("An uninterruptible wait was interrupted", ex);
		}
	}

	private boolean acquire(Duration waitTime, boolean interruptible) throws InterruptedException {
		Hold hold = this.operations.get().acquireForView(this.request.waitTime(waitTime), interruptible);
		if (hold != null) {
			hold.enterView();
		}
		return hold != null;
	}

	@Override
	public String toString() {
		return "Lock[" + this.request.key() + "]";
	}

}
