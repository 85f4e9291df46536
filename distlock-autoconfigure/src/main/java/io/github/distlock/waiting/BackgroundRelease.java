package io.github.distlock.waiting;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

import io.github.distlock.backend.TimeSource;
import io.github.distlock.backend.Validity;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * A release that no caller waits for: the place that it takes among those that are
 * allowed at a time, and what to do if the store no longer knew the holder.
 */
final class BackgroundRelease {

	private static final Log logger = LogFactory.getLog(BackgroundRelease.class);

	private final Limit limit;

	private final ReleaseObserver observer;

	/** The validity of a grant that was kept. */
	private final @Nullable Validity kept;

	private final AtomicBoolean ended = new AtomicBoolean();

	private BackgroundRelease(Limit limit, ReleaseObserver observer, @Nullable Validity kept) {
		this.limit = limit;
		this.observer = observer;
		this.kept = kept;
	}

	/**
	 * Begin this release, if it was prepared before. It counts from now on, but is not
	 * limited: no caller would wait for it.
	 */
	BackgroundRelease begin() {
		this.limit.unanswered.incrementAndGet();
		return this;
	}

	/**
	 * The lock had been lost. If it was kept, and its deadline has passed meanwhile, that
	 * is no loss: the process was paused for example, and no caller was inside.
	 */
	void reportGone() {
		if (this.kept != null && this.kept.hasPassed(this.limit.clock)) {
			logger.debug("The lease of a kept lock had ended when it was released");
			return;
		}
		this.observer.gone();
	}

	/** The store did not answer. */
	void reportUnanswered() {
		this.observer.unanswered();
	}

	/** The release has been answered, or is given up. */
	void end() {
		if (this.ended.compareAndSet(false, true)) {
			this.limit.unanswered.decrementAndGet();
		}
	}

	/** How many releases of a registry may be unanswered. Thread-safe. */
	static final class Limit {

		/** More would only hide that the store is too slow, or silent. */
		static final int MAX_UNANSWERED = 1000;

		private final TimeSource clock;

		private final AtomicInteger unanswered = new AtomicInteger();

		Limit(TimeSource clock) {
			this.clock = clock;
		}

		/**
		 * Begin a release.
		 * @return the release, or {@code null} if the caller has to wait for the answer
		 */
		@Nullable BackgroundRelease begin(ReleaseObserver observer) {
			if (this.unanswered.incrementAndGet() > MAX_UNANSWERED) {
				this.unanswered.decrementAndGet();
				return null;
			}
			return new BackgroundRelease(this, observer, null);
		}

		/**
		 * Prepare the release of a lock that is kept, to begin it later.
		 * @param validity the validity of the grant
		 */
		BackgroundRelease prepare(ReleaseObserver observer, Validity validity) {
			return new BackgroundRelease(this, observer, validity);
		}

		/** Whether the answer of a release is still to come. */
		boolean isAny() {
			return this.unanswered.get() > 0;
		}

	}

}
