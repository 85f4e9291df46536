package io.github.distlock.engine;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

import org.jspecify.annotations.Nullable;

/**
 * A release that no thread waits for: it counts among those that are unanswered, and
 * knows its lock.
 */
final class BackgroundRelease {

	private final AtomicInteger unanswered;

	/** The lock, which learns of the outcome. */
	final Hold hold;

	/** Completes with the outcome, {@code null} if its caller does not learn it. */
	final @Nullable CompletableFuture<Void> closed;

	/** An error may let it end twice. */
	private final AtomicBoolean ended = new AtomicBoolean();

	/**
	 * Create a release.
	 * @param unanswered counts it
	 * @param hold learns of the outcome
	 * @param closed completes with it, {@code null} if its caller does not learn it
	 */
	BackgroundRelease(AtomicInteger unanswered, Hold hold, @Nullable CompletableFuture<Void> closed) {
		this.unanswered = unanswered;
		this.hold = hold;
		this.closed = closed;
	}

	/** The release has been answered, or is given up, or there will be none. */
	void end() {
		if (this.ended.compareAndSet(false, true)) {
			this.unanswered.decrementAndGet();
		}
	}

}
