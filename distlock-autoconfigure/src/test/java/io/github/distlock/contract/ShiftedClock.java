package io.github.distlock.contract;

import java.time.Duration;

import io.github.distlock.backend.TimeSource;

/**
 * The clocks of a machine whose wall clock is wrong, and whose monotonic clock began at
 * another moment.
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
