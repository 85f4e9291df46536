package io.github.distlock.waiting;

import java.util.concurrent.locks.LockSupport;

/**
 * A thread that waits, parked.
 */
final class ThreadWaiter extends Waiter {

	private final Thread thread = Thread.currentThread();

	ThreadWaiter(EntryRequest request, long nowNanos) {
		super(request, nowNanos);
	}

	@Override
	void wake() {
		LockSupport.unpark(this.thread);
	}

}
