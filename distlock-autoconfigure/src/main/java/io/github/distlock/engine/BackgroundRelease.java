package io.github.distlock.engine;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A release that no caller waits for: it counts among those that are unanswered, and
 * knows its lock.
 */
final class BackgroundRelease {

	private final AtomicInteger unanswered;

	/** The lock, which learns of the outcome. */
	final Hold hold;

	/** An error may let it end twice. */
	private final AtomicBoolean ended = new AtomicBoolean();

	/**
	 * Create a release.
	 * @param unanswered counts it
	 * @param hold learns of the outcome
	 */
	BackgroundRelease(AtomicInteger unanswered, Hold hold) {
		this.unanswered = unanswered;
		this.hold = hold;
	}

	/** The release has been answered, or is given up, or there will be none. */
	void end() {
		if (this.ended.compareAndSet(false, true)) {
			this.unanswered.decrementAndGet();
		}
	}

}
