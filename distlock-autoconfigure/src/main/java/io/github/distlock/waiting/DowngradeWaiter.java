package io.github.distlock.waiting;

/**
 * The thread that keeps the lock as a reader. It waits for the one answer of the store,
 * but no longer than until the lease ends that it had as a writer, since a grant that
 * comes later might come after another writer; and no longer than for any answer.
 */
final class DowngradeWaiter extends ThreadWaiter {

	private final long endNanos;

	DowngradeWaiter(WaitRequest request, long nowNanos, long waitNanos) {
		super(request, nowNanos);
		this.endNanos = nowNanos + waitNanos;
	}

	@Override
	boolean isOnce() {
		return true;
	}

	@Override
	boolean isDowngrade() {
		return true;
	}

	@Override
	boolean isEndless() {
		return false;
	}

	@Override
	long remainingNanos(long nowNanos) {
		return this.endNanos - nowNanos;
	}

}
