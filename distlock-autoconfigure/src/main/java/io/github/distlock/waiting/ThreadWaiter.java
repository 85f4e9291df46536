package io.github.distlock.waiting;

import java.util.concurrent.locks.LockSupport;

/**
 * A thread that waits, parked.
 */
class ThreadWaiter extends Waiter {

	private final Thread thread = Thread.currentThread();

	ThreadWaiter(WaitRequest request, long nowNanos) {
		super(request, nowNanos);
	}

	@Override
	void wake() {
		// Who admits itself is awake, and needs no permit that would end its next park.
		if (this.thread != Thread.currentThread()) {
			LockSupport.unpark(this.thread);
		}
	}

}
