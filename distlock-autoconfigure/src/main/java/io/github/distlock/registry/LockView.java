package io.github.distlock.registry;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;

import io.github.distlock.LockOutcome;
import io.github.distlock.LockRequest;
import io.github.distlock.engine.Hold;
import io.github.distlock.thread.LockThreads;

/**
 * The lock of one key as a {@link Lock}: owned by a thread, reentrant, and renewed by the
 * watchdog. It has no state of its own, so the views of one key are interchangeable and
 * equal.
 *
 * @param request the lock
 * @param registry acquires it
 */
record LockView(LockRequest request, BackendLockRegistry registry) implements Lock {

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
		Hold hold = this.registry.holdOfThisThread(this.request.key());
		if (hold == null || !hold.hasView()) {
			throw new IllegalMonitorStateException("Thread '" + LockThreads.describe(Thread.currentThread())
					+ "' does not hold lock '" + this.request.key() + "': call unlock() only after lock()");
		}
		hold.context().release(hold, hold.leaveLevel(true), null);
	}

	@Override
	public Condition newCondition() {
		throw new UnsupportedOperationException(
				"A distributed lock has no conditions: release it, and look again later");
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
		LockAcquirer acquirer = this.registry.running();
		return acquirer.acquireHold(
				acquirer.caller(this.request.waitTime(waitTime), Thread.currentThread(), LockOutcome.TIMEOUT),
				interruptible, true) != null;
	}

	@Override
	public String toString() {
		return "Lock[" + this.request.key() + "]";
	}

}
