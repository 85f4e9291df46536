package io.github.distlock.engine;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

import org.jspecify.annotations.Nullable;

/**
 * A release that no caller waits for: the place that it takes among those that are
 * allowed at a time, and the lock.
 */
final class BackgroundRelease {

	private final Limit limit;

	private final Hold hold;

	/** An error may let it end twice. */
	private final AtomicBoolean ended = new AtomicBoolean();

	private BackgroundRelease(Limit limit, Hold hold) {
		this.limit = limit;
		this.hold = hold;
	}

	/** The lock, which learns of the outcome. */
	Hold hold() {
		return this.hold;
	}

	/** The release has been answered, or is given up, or there will be none. */
	void end() {
		if (this.ended.compareAndSet(false, true)) {
			this.limit.unanswered.decrementAndGet();
		}
	}

	/** How many releases of a registry may be unanswered. Thread-safe. */
	static final class Limit {

		private final int most;

		private final AtomicInteger unanswered = new AtomicInteger();

		Limit(int most) {
			this.most = most;
		}

		/**
		 * Begin a release.
		 * @return the release, or {@code null} if the caller has to wait for the answer
		 */
		@Nullable BackgroundRelease begin(Hold hold) {
			BackgroundRelease release = new BackgroundRelease(this, hold);
			if (this.unanswered.incrementAndGet() <= this.most) {
				return release;
			}
			release.end();
			return null;
		}

		/** Whether the answer of a release is still to come. */
		boolean isAny() {
			return this.unanswered.get() > 0;
		}

	}

}
