package io.github.distlock.waiting;

import java.util.concurrent.atomic.AtomicInteger;

import io.github.distlock.backend.TimeSource;
import io.github.distlock.backend.Validity;
import io.github.distlock.waiting.Holder.ReleaseObserver;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * A release that no caller waits for: the place that it takes among those that are
 * allowed at a time, and what to do if the store no longer knew the holder. Begun and
 * ended once each, by the key queue under its lock, or by the only thread that knows it.
 */
final class BackgroundRelease {

	private static final Log logger = LogFactory.getLog(BackgroundRelease.class);

	private final Limit limit;

	private final ReleaseObserver observer;

	/** The validity of a grant that was kept. */
	private final @Nullable Validity kept;

	/** Whether an answer is to come. */
	private boolean begun;

	private BackgroundRelease(Limit limit, ReleaseObserver observer, @Nullable Validity kept) {
		this.limit = limit;
		this.observer = observer;
		this.kept = kept;
	}

	/** The lock goes back: from now on an answer is to come. */
	void begin() {
		this.begun = true;
		this.limit.unanswered.incrementAndGet();
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

	/** The release has been answered, or is given up, or there will be none. */
	void end() {
		if (this.begun) {
			this.limit.unanswered.decrementAndGet();
		}
		if (this.kept != null) {
			this.limit.kept.decrementAndGet();
		}
	}

	/**
	 * How many releases of a registry may be unanswered, and how many locks may be kept.
	 * Thread-safe.
	 */
	static final class Limit {

		/** More would only hide that the store is too slow, or silent. */
		static final int MAX_UNANSWERED = 1000;

		/**
		 * A lock counts from the moment of keeping until a caller has entered, or its
		 * release is answered. Otherwise a JVM that uses one key after the other would
		 * keep locks faster than the store takes them back, and their releases would
		 * delay all other commands.
		 */
		static final int MAX_KEPT = 1000;

		private final TimeSource clock;

		private final AtomicInteger unanswered = new AtomicInteger();

		private final AtomicInteger kept = new AtomicInteger();

		Limit(TimeSource clock) {
			this.clock = clock;
		}

		/**
		 * Begin a release.
		 * @return the release, or {@code null} if the caller has to wait for the answer
		 */
		@Nullable BackgroundRelease begin(ReleaseObserver observer) {
			if (this.unanswered.get() >= MAX_UNANSWERED) {
				return null;
			}
			BackgroundRelease release = new BackgroundRelease(this, observer, null);
			release.begin();
			return release;
		}

		/**
		 * Prepare the release of a lock that is kept, to begin it later.
		 * @param validity the validity of the grant
		 * @return the release, or {@code null} if the lock must not be kept
		 */
		@Nullable BackgroundRelease prepare(ReleaseObserver observer, Validity validity) {
			if (this.kept.incrementAndGet() > MAX_KEPT) {
				this.kept.decrementAndGet();
				return null;
			}
			return new BackgroundRelease(this, observer, validity);
		}

		/** Whether the answer of a release is still to come. */
		boolean isAny() {
			return this.unanswered.get() > 0;
		}

	}

}
