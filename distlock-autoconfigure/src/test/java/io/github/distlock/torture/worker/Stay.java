package io.github.distlock.torture.worker;

import java.time.Duration;
import java.util.concurrent.locks.Lock;

import io.github.distlock.HeldLock;
import org.jspecify.annotations.Nullable;

/**
 * An acquired lock, whichever API was used.
 *
 * @param lock its handle; of a lock that a view holds, a re-entry that provides its token
 * @param view the view that holds it, if one does
 */
record Stay(HeldLock lock, @Nullable Lock view) {

	long token() {
		return this.lock.fencingToken();
	}

	Duration remaining() {
		return this.lock.remaining();
	}

	void release() {
		try {
			this.lock.close();
		}
		finally {
			if (this.view != null) {
				this.view.unlock();
			}
		}
	}

	/** Release the lock again, which must fail. */
	void releaseAgain() {
		if (this.view != null) {
			this.view.unlock();
		}
		else {
			this.lock.close();
		}
	}

}
