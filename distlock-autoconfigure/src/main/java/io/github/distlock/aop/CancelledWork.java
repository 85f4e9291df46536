package io.github.distlock.aop;

import reactor.core.publisher.Mono;

/**
 * Knows when cancelled work has ended. Until then it needs its locks.
 */
interface CancelledWork {

	/** Work that stops at the moment of its cancellation. */
	CancelledWork AT_ONCE = Mono::empty;

	/**
	 * Return what completes when the work that was cancelled has ended.
	 */
	Mono<Void> ended();

	/**
	 * Called when the subscription to the work has returned. Called once, before or after
	 * a cancellation.
	 */
	default void begun() {
	}

}
