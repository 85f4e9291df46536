package io.github.distlock.testing;

import io.github.distlock.backend.TimeSource;

/**
 * A clock that stands still from its creation on.
 */
public final class StoppedClock implements TimeSource {

	private final long nanos = System.nanoTime();

	private final long millis = System.currentTimeMillis();

	@Override
	public long nanoTime() {
		return this.nanos;
	}

	@Override
	public long wallMillis() {
		return this.millis;
	}

}
