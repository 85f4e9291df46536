package io.github.distlock.registry;

import java.time.Duration;

import io.github.distlock.backend.TimeSource;

/**
 * A wait time that two registries share, from now on.
 */
final class SharedWait {

	private final Duration whole;

	private final TimeSource clock;

	private final long startNanos;

	SharedWait(Duration whole, TimeSource clock) {
		this.whole = whole;
		this.clock = clock;
		this.startNanos = clock.nanoTime();
	}

	/** For the first: zero tries once, negative waits for ever. */
	Duration whole() {
		return this.whole;
	}

	/** For the second: what is left, at least one attempt. */
	Duration rest() {
		if (this.whole.isNegative()) {
			return this.whole;
		}
		Duration rest = this.whole.minusNanos(this.clock.nanoTime() - this.startNanos);
		return rest.isNegative() ? Duration.ZERO : rest;
	}

}
