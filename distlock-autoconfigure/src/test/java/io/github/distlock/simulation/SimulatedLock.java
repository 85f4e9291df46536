package io.github.distlock.simulation;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;

import org.jspecify.annotations.Nullable;

/**
 * A reentrant lock of simulated threads. The baton may pass before it is taken and after
 * it is released.
 */
final class SimulatedLock implements Lock {

	private final Scheduler scheduler;

	private final Deque<SimulatedThread> waiting = new ArrayDeque<>();

	private @Nullable SimulatedThread owner;

	private int depth;

	SimulatedLock(Scheduler scheduler) {
		this.scheduler = scheduler;
	}

	@Override
	public void lock() {
		SimulatedThread self = this.scheduler.current();
		this.scheduler.mayPass();
		while (!take(self)) {
			this.waiting.add(self);
			this.scheduler.block(-1);
		}
	}

	private boolean take(SimulatedThread self) {
		if (this.owner != null && this.owner != self) {
			return false;
		}
		this.owner = self;
		this.depth++;
		return true;
	}

	@Override
	public boolean tryLock() {
		this.scheduler.mayPass();
		return take(this.scheduler.current());
	}

	@Override
	public void unlock() {
		SimulatedThread self = this.scheduler.current();
		if (this.owner != self) {
			if (self.killed) {
				return;
			}
			throw new IllegalMonitorStateException();
		}
		if (--this.depth == 0) {
			this.owner = null;
			SimulatedThread next = this.waiting.poll();
			if (next != null) {
				this.scheduler.wake(next);
			}
			this.scheduler.mayPass();
		}
	}

	@Override
	public void lockInterruptibly() {
		throw new UnsupportedOperationException();
	}

	/** Each lock is returned, so no time has to pass. */
	@Override
	public boolean tryLock(long time, TimeUnit unit) {
		lock();
		return true;
	}

	@Override
	public Condition newCondition() {
		throw new UnsupportedOperationException();
	}

}
