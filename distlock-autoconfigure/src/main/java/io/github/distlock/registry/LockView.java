package io.github.distlock.registry;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;
import java.util.function.Supplier;

import io.github.distlock.LockOutcome;
import io.github.distlock.LockRequest;
import io.github.distlock.thread.LockThreads;

/**
 * The lock of one key as a {@link Lock}: owned by a thread, reentrant, and renewed by the
 * watchdog. It has no state of its own, so the views of one key are interchangeable.
 */
final class LockView implements Lock {

	private final LockRequest request;

	private final Supplier<LockOperations> operations;

	/**
	 * Where the calling thread may hold the lock, even if the registry is no longer
	 * running.
	 */
	private final Supplier<List<HeldLocks>> allHeldLocks;

	LockView(LockRequest request, Supplier<LockOperations> operations, Supplier<List<HeldLocks>> allHeldLocks) {
		this.request = request;
		this.operations = operations;
		this.allHeldLocks = allHeldLocks;
	}

	@Override
	public void lock() {
		try {
			acquire(LockRequest.FOREVER, false);
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException("An uninterruptible wait was interrupted", ex);
		}
	}

	@Override
	public void lockInterruptibly() throws InterruptedException {
		acquire(LockRequest.FOREVER, true);
	}

	@Override
	public boolean tryLock() {
		try {
			return acquire(Duration.ZERO, false);
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException("An uninterruptible attempt was interrupted", ex);
		}
	}

	@Override
	public boolean tryLock(long time, TimeUnit unit) throws InterruptedException {
		return acquire((time > 0) ? Duration.ofNanos(unit.toNanos(time)) : Duration.ZERO, true);
	}

	@Override
	public void unlock() {
		for (HeldLocks heldLocks : this.allHeldLocks.get()) {
			Hold hold = heldLocks.holdOfThisThread(this.request.key());
			if (hold != null && hold.leaveView()) {
				heldLocks.release(hold);
				return;
			}
		}
		throw new IllegalMonitorStateException("Thread '" + LockThreads.describe(Thread.currentThread())
				+ "' does not hold lock '" + this.request.key() + "': call unlock() only after lock()");
	}

	@Override
	public Condition newCondition() {
		throw new UnsupportedOperationException("A distributed lock has no conditions");
	}

	private boolean acquire(Duration waitTime, boolean interruptible) throws InterruptedException {
		Hold hold = this.operations.get()
			.acquireHold(this.request.waitTime(waitTime), interruptible, LockOutcome.TIMEOUT, Thread.currentThread());
		if (hold == null) {
			return false;
		}
		try {
			hold.enterView();
		}
		catch (Error ex) {
			hold.owner().abandon(hold);
			throw ex;
		}
		return true;
	}

	@Override
	public String toString() {
		return "Lock[" + this.request.key() + "]";
	}

}
