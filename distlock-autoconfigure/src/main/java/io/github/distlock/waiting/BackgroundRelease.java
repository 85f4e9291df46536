package io.github.distlock.waiting;

import java.util.concurrent.atomic.AtomicInteger;

import io.github.distlock.waiting.Holder.ReleaseObserver;
import org.jspecify.annotations.Nullable;

/**
 * A release that no caller waits for: the place that it takes among those that are
 * allowed at a time, and what receives its outcome. Ended once, by the key state under
 * its lock, or by the only thread that knows it.
 *
 * @param limit counts it until it has ended
 * @param observer receives what becomes of it
 */
record BackgroundRelease(Limit limit, ReleaseObserver observer) {

	/** The release has been answered, or is given up, or there will be none. */
	void end() {
		this.limit.unanswered.decrementAndGet();
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
		@Nullable BackgroundRelease begin(ReleaseObserver observer) {
			if (this.unanswered.get() >= this.most) {
				return null;
			}
			BackgroundRelease release = new BackgroundRelease(this, observer);
			this.unanswered.incrementAndGet();
			return release;
		}

		/** Whether the answer of a release is still to come. */
		boolean isAny() {
			return this.unanswered.get() > 0;
		}

	}

}
