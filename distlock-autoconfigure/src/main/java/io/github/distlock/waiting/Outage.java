package io.github.distlock.waiting;

import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;

import io.github.distlock.LockBackendException;
import io.github.distlock.backend.TimeSource;
import org.jspecify.annotations.Nullable;

/**
 * The failures of the store in a row, as one key sees them: from the first one until the
 * store answers again. Guarded by the queue's lock.
 */
final class Outage {

	private static final long FIRST_RETRY_MILLIS = 25;

	private static final long LAST_RETRY_MILLIS = 500;

	private final TimeSource clock;

	private final Duration backendTimeout;

	/**
	 * When the first failure came: before it nothing was asked, perhaps for long.
	 */
	private final long sinceNanos;

	private @Nullable LockBackendException last;

	private int failures;

	Outage(TimeSource clock, Duration backendTimeout) {
		this.clock = clock;
		this.backendTimeout = backendTimeout;
		this.sinceNanos = clock.nanoTime();
	}

	/**
	 * A command failed.
	 * @return when to try again: soon, then less often, never at once with others
	 */
	long failed(LockBackendException cause) {
		this.last = cause;
		this.failures++;
		long most = Math.min(LAST_RETRY_MILLIS, FIRST_RETRY_MILLIS << Math.min(this.failures, 10));
		long millis = ThreadLocalRandom.current().nextLong(most / 2, most + 1);
		return this.clock.nanoTime() + Duration.ofMillis(millis).toNanos();
	}

	/** Whether the store has been silent for too long. */
	boolean isTooLong() {
		return this.clock.nanoTime() - this.sinceNanos >= this.backendTimeout.toNanos();
	}

	@Nullable LockBackendException failure() {
		return this.last;
	}

}
