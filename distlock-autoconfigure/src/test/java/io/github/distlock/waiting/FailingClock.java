package io.github.distlock.waiting;

import java.util.concurrent.atomic.AtomicInteger;

import io.github.distlock.backend.TimeSource;
import org.jspecify.annotations.Nullable;

/** A clock whose readings fail as often as a test asks for. */
final class FailingClock implements TimeSource {

	private final AtomicInteger before = new AtomicInteger();

	private final AtomicInteger failures = new AtomicInteger();

	private volatile TimeSource.@Nullable Instant stopped;

	void fail(int times) {
		failAfter(0, times);
	}

	void failAfter(int readings, int times) {
		this.before.set(readings);
		this.failures.set(times);
	}

	/** From now on no time passes. */
	void stop() {
		this.stopped = TimeSource.SYSTEM.now();
	}

	int failures() {
		return this.failures.get();
	}

	@Override
	public long nanoTime() {
		if (this.failures.get() > 0 && this.before.getAndUpdate((left) -> Math.max(0, left - 1)) == 0
				&& this.failures.getAndUpdate((left) -> Math.max(0, left - 1)) > 0) {
			throw new InternalError("injected by the clock");
		}
		TimeSource.Instant at = this.stopped;
		return (at != null) ? at.nanos() : System.nanoTime();
	}

	@Override
	public long wallMillis() {
		TimeSource.Instant at = this.stopped;
		return (at != null) ? at.millis() : System.currentTimeMillis();
	}

}
