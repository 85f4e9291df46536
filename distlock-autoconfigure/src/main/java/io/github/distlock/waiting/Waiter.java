package io.github.distlock.waiting;

import java.time.Duration;

import io.github.distlock.LockBackendException;
import org.jspecify.annotations.Nullable;

/**
 * One caller in the local queue of a key. Its outcome is decided once, under the lock of
 * the key's queue; whoever decides it calls {@link #wake()} afterwards, without that
 * lock.
 */
abstract class Waiter {

	/** Waits of centuries have no deadline: the monotonic clock could not say it. */
	private static final Duration ENDLESS = Duration.ofNanos(Long.MAX_VALUE / 4);

	private final WaitRequest request;

	private final boolean endless;

	private final long deadlineNanos;

	/** Written under the queue's lock, read without. */
	private volatile @Nullable Outcome outcome;

	/** The same. Set before the outcome, so that a caller sees both. */
	private volatile boolean leaving;

	/**
	 * Whether an error has ended the wait of the caller: it must not get the lock. A
	 * plain field: near the end of the stack it can be set without a call.
	 */
	volatile boolean abandoned;

	Waiter(WaitRequest request, long nowNanos) {
		this.request = request;
		this.endless = request.waitTime().isNegative() || request.waitTime().isZero()
				|| request.waitTime().compareTo(ENDLESS) > 0;
		this.deadlineNanos = this.endless ? 0 : nowNanos + request.waitTime().toNanos();
	}

	WaitRequest request() {
		return this.request;
	}

	/** Whether one answer of the store, whatever it is, ends the wait. */
	boolean isOnce() {
		return this.request.waitTime().isZero();
	}

	/**
	 * Whether it goes on as a reader after it was a writer: its one attempt is made by
	 * another queue, and it is decided by the answer to that, whatever it is.
	 */
	boolean isDowngrade() {
		return false;
	}

	boolean isAbandoned() {
		return this.abandoned;
	}

	/** Whether there is no deadline: the wait has no end, or one answer ends it. */
	boolean isEndless() {
		return this.endless;
	}

	long remainingNanos(long nowNanos) {
		return this.deadlineNanos - nowNanos;
	}

	@Nullable Outcome outcome() {
		return this.outcome;
	}

	void decide(Outcome decided) {
		this.outcome = decided;
	}

	/** Whether it has given up and its ticket is still in the store. */
	boolean isLeaving() {
		return this.leaving;
	}

	/** It gives up, and returns when its ticket has left the store. */
	void leave() {
		this.leaving = true;
	}

	/** Its ticket has left, or will not leave soon: it may return. */
	void left() {
		this.leaving = false;
	}

	/** Tell the caller that the outcome is there. Does not block. */
	abstract void wake();

	/**
	 * How a wait ended.
	 */
	sealed interface Outcome {

		record Acquired(Holder holder) implements Outcome {
		}

		record Failed(LockBackendException failure) implements Outcome {

			/**
			 * Several callers may fail for one reason: each gets an exception of its own.
			 */
			LockBackendException forCaller() {
				return new LockBackendException(String.valueOf(this.failure.getMessage()), this.failure);
			}

		}

		record TimedOut() implements Outcome {
		}

		/** The caller went away by itself. */
		record Left() implements Outcome {
		}

	}

}
