package io.github.distlock.waiting;

import org.jspecify.annotations.Nullable;

import io.github.distlock.backend.TimeSource;

/** A clock that a test can stop. */
final class StoppableClock implements TimeSource {

	private volatile TimeSource.@Nullable Instant stopped;

	/** From now on no time passes. */
	void stop() {
		this.stopped = TimeSource.SYSTEM.now();
	}

	@Override
	public long nanoTime() {
		TimeSource.Instant at = this.stopped;
		return (at != null) ? at.nanos() : System.nanoTime();
	}

	@Override
	public long wallMillis() {
		TimeSource.Instant at = this.stopped;
		return (at != null) ? at.millis() : System.currentTimeMillis();
	}

}
