package io.github.distlock.waiting;

import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;

import io.github.distlock.LockBackendException;
import io.github.distlock.backend.TimeSource;
import org.jspecify.annotations.Nullable;

/**
 * Whether the store answers, as one key sees it. Guarded by the entry's lock.
 */
final class StoreHealth {

	private static final long FIRST_RETRY_MILLIS = 25;

	private static final long LAST_RETRY_MILLIS = 500;

	private final TimeSource clock;

	private final Duration patience;

	/** The last failure, until the store answers again. */
	private @Nullable LockBackendException failure;

	private int failuresInARow;

	/**
	 * When the first failure in a row came: before it nothing was asked, perhaps for
	 * long.
	 */
	private long silentSinceNanos;

	StoreHealth(TimeSource clock, Duration patience) {
		this.clock = clock;
		this.patience = patience;
	}

	void answered() {
		this.failure = null;
		this.failuresInARow = 0;
	}

	/**
	 * A command failed.
	 * @return whether the store has been silent for too long
	 */
	boolean failed(LockBackendException cause) {
		if (this.failuresInARow++ == 0) {
			this.silentSinceNanos = this.clock.nanoTime();
		}
		this.failure = cause;
		return this.clock.nanoTime() - this.silentSinceNanos >= this.patience.toNanos();
	}

	@Nullable LockBackendException failure() {
		return this.failure;
	}

	/** When to try again: soon, then less often, never at once with others. */
	long retryAt() {
		long most = Math.min(LAST_RETRY_MILLIS, FIRST_RETRY_MILLIS << Math.min(this.failuresInARow, 10));
		long millis = ThreadLocalRandom.current().nextLong(most / 2, most + 1);
		return this.clock.nanoTime() + Duration.ofMillis(millis).toNanos();
	}

}
