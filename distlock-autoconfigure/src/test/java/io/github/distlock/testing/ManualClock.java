package io.github.distlock.testing;

import java.time.Duration;

import io.github.distlock.backend.TimeSource;

/**
 * Time that passes when a test says so. It starts just before the monotonic clock
 * overflows, which it may do at any moment.
 */
public final class ManualClock implements TimeSource {

	private long nanos = Long.MAX_VALUE - 1_000_000;

	private long millis = 1_000_000;

	/**
	 * Let time pass on both clocks.
	 * @param duration how much
	 */
	public void pass(Duration duration) {
		this.nanos += duration.toNanos();
		this.millis += duration.toMillis();
	}

	/**
	 * Suspend the machine: only the wall clock goes on.
	 * @param duration for how long
	 */
	public void suspend(Duration duration) {
		this.millis += duration.toMillis();
	}

	@Override
	public long nanoTime() {
		return this.nanos;
	}

	@Override
	public long wallMillis() {
		return this.millis;
	}

}
