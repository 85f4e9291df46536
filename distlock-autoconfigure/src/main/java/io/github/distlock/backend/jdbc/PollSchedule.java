package io.github.distlock.backend.jdbc;

import java.time.Duration;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.DoubleSupplier;

import io.github.distlock.backend.TimeSource;
import io.github.distlock.backend.jdbc.LockTable.LeaseRow;

/**
 * Decides when a waiting ticket attempts again. While a grant is young, the ticket polls
 * as often as the grant is old: so a lock that is held for a short time is found soon
 * after its release, and one that is held for long costs one statement per interval.
 * Thread-safe.
 */
final class PollSchedule {

	/** Maximum number of polls before the interval, in a second and JVM. */
	static final int EARLY_POLLS_PER_SECOND = 100;

	/**
	 * Shortest time until the retry that expects the lease of the holder to have expired.
	 */
	private static final long MIN_RETRY_MICROS = 10_000;

	/** An early poll comes after this share of the interval or later. */
	private static final int EARLIEST_SHARE = 8;

	private static final long SECOND_NANOS = Duration.ofSeconds(1).toNanos();

	private final long intervalMicros;

	private final TimeSource clock;

	private final DoubleSupplier random;

	/** Guards all fields below. */
	private final ReentrantLock lock = new ReentrantLock();

	/** Early polls in the current second: at most {@link #EARLY_POLLS_PER_SECOND}. */
	private int earlyPolls;

	/** When the current second began. */
	private long secondNanos;

	/**
	 * Create a schedule.
	 * @param interval the poll interval
	 * @param clock the source of time
	 * @param random returns numbers from 0 to 1
	 */
	PollSchedule(Duration interval, TimeSource clock, DoubleSupplier random) {
		this.intervalMicros = interval.toNanos() / 1000;
		this.clock = clock;
		this.random = random;
		this.secondNanos = clock.nanoTime();
	}

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
		long interval = (early && mayPollEarly(grantAge)) ? early(grantAge) : this.intervalMicros;
		long end = Math.max(MIN_RETRY_MICROS, row.remaining().toNanos() / 1000 + 1000);
		return micros(Math.min(interval * 0.75, end) + interval * jitter / 4);
	}

	private long early(Duration grantAge) {
		return Math.max(this.intervalMicros / EARLIEST_SHARE, grantAge.toNanos() / 1000);
	}

	private boolean mayPollEarly(Duration grantAge) {
		if (grantAge.toNanos() / 1000 >= this.intervalMicros) {
			return false;
		}
		this.lock.lock();
		try {
			long now = this.clock.nanoTime();
			if (now - this.secondNanos >= SECOND_NANOS) {
				this.secondNanos = now;
				this.earlyPolls = 0;
			}
			boolean allowed = this.earlyPolls < EARLY_POLLS_PER_SECOND;
			this.earlyPolls += allowed ? 1 : 0;
			return allowed;
		}
		finally {
			this.lock.unlock();
		}
	}

	private static Duration micros(double micros) {
		return Duration.ofNanos((long) (micros * 1000));
	}

}
