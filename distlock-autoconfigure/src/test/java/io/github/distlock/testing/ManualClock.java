package io.github.distlock.testing;

import java.time.Duration;

import io.github.distlock.backend.TimeSource;
import org.jspecify.annotations.Nullable;

/**
 * A clock that a test moves. It starts just before an overflow of the monotonic clock,
 * which may occur at any moment.
 */
public final class ManualClock implements TimeSource {

	private long nanos = Long.MAX_VALUE - 1_000_000;

	private long millis = 1_000_000;

	/** What the next reading throws. */
	public @Nullable Error error;

	public void pass(Duration duration) {
		this.nanos += duration.toNanos();
		this.millis += duration.toMillis();
	}

	/** Suspend the machine: only the wall clock advances. */
	public void suspend(Duration duration) {
		this.millis += duration.toMillis();
	}

	@Override
	public long nanoTime() {
		Error next = this.error;
		this.error = null;
		if (next != null) {
			throw next;
		}
		return this.nanos;
	}

	@Override
	public long wallMillis() {
		return this.millis;
	}

}
