package io.github.distlock.torture.worker;

import java.time.Duration;
import java.util.concurrent.locks.Lock;

import io.github.distlock.HeldLock;

/**
 * An acquired lock, whichever API was used.
 */
interface Stay {

	long token();

	Duration remaining();

	/** Release the lock. */
	void release();

	/** Release the lock again, which must fail. */
	void releaseAgain();

	/** A lock with a handle. */
	record Handle(HeldLock lock) implements Stay {

		@Override
		public long token() {
			return this.lock.fencingToken();
		}

		@Override
		public Duration remaining() {
			return this.lock.remaining();
		}

		@Override
		public void release() {
			this.lock.close();
		}

		@Override
		public void releaseAgain() {
			this.lock.close();
		}

	}

	/** A lock held by the thread, and a re-entry that provides its token. */
	record View(Lock lock, HeldLock reentry) implements Stay {

		@Override
		public long token() {
			return this.reentry.fencingToken();
		}

		@Override
		public Duration remaining() {
			return this.reentry.remaining();
		}

		@Override
		public void release() {
			try {
				this.reentry.close();
			}
			finally {
				this.lock.unlock();
			}
		}

		@Override
		public void releaseAgain() {
			this.lock.unlock();
		}

	}

}
