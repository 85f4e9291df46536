package io.github.distlock.contract;

import java.time.Duration;

import io.github.distlock.backend.TimeSource;

/**
 * The clocks of a machine with a wrong wall clock, and with another origin of the
 * monotonic clock.
 */
final class ShiftedClock implements TimeSource {

	private final Duration ahead;

	ShiftedClock(Duration ahead) {
		this.ahead = ahead;
	}

	@Override
	public long nanoTime() {
		return System.nanoTime() + this.ahead.toNanos() * 7;
	}

	@Override
	public long wallMillis() {
		return System.currentTimeMillis() + this.ahead.toMillis();
	}

}
