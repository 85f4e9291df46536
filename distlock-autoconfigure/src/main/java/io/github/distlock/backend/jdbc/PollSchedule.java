package io.github.distlock.backend.jdbc;

import java.time.Duration;
import java.util.function.DoubleSupplier;

import io.github.distlock.backend.jdbc.LockTable.LeaseRow;

/**
 * Decides when a waiting ticket attempts again. While a grant is young, the ticket polls
 * as often as the grant is old: so a lock that is held for a short time is found soon
 * after its release, and one that is held for long costs one statement per interval.
 *
 * @param intervalMicros the poll interval
 * @param random returns numbers from 0 to 1
 */
record PollSchedule(long intervalMicros, DoubleSupplier random) {

	/**
	 * Shortest time until the retry that expects the lease of the holder to have expired.
	 */
	private static final long MIN_RETRY_MICROS = 10_000;

	/** An early poll comes after this share of the interval or later. */
	private static final int EARLIEST_SHARE = 8;

	/**
	 * Return when to attempt again. The retry comes earlier if the lease of the holder
	 * ends. A free lock was left to other JVMs on purpose: they need up to one interval
	 * to find it, so the retry comes later than that.
	 * @param row the row of the lock after the attempt
	 * @param grantAge how long the lock has been held by its grant
	 * @param early whether polls before the interval are useful
	 */
	Duration retryAfter(LeaseRow row, Duration grantAge, boolean early) {
		double jitter = this.random.getAsDouble();
		if (row.owner().isEmpty()) {
			return micros(this.intervalMicros * (1.1 + jitter / 2));
		}
		long age = Math.max(this.intervalMicros / EARLIEST_SHARE, grantAge.toNanos() / 1000);
		long interval = early ? Math.min(this.intervalMicros, age) : this.intervalMicros;
		long end = Math.max(MIN_RETRY_MICROS, row.remaining().toNanos() / 1000 + 1000);
		return micros(Math.min(interval * 0.75, end) + interval * jitter / 4);
	}

	private static Duration micros(double micros) {
		return Duration.ofNanos((long) (micros * 1000));
	}

}
