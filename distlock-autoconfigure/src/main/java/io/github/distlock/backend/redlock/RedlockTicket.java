package io.github.distlock.backend.redlock;

import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;

import org.jspecify.annotations.Nullable;

/**
 * A ticket that waits or holds: where it is queued, and what it has won. Commands of one
 * ticket do not overlap, but come from different threads.
 */
final class RedlockTicket {

	/** Who is queued is told; this makes up for what was lost, or told elsewhere. */
	private static final long SAFETY_MILLIS = 1000;

	/** Who is queued nowhere tries again, less often each time. */
	private static final long FIRST_RETRY_MILLIS = 15;

	private static final long LAST_RETRY_MILLIS = 250;

	/** Not sooner does anybody look for the end of the holder's lease. */
	private static final long SHORTEST_LOOK_MILLIS = 20;

	private volatile @Nullable WonRound tenure;

	private volatile int queueAt = -1;

	/** Where it is queued, as far as is known, or -1. */
	private volatile int queuedAt = -1;

	private volatile int retries;

	private volatile boolean known;

	@Nullable WonRound tenure() {
		return this.tenure;
	}

	void holds(@Nullable WonRound won) {
		this.tenure = won;
	}

	/** The node where the ticket shall be queued, or -1. */
	int queueAt() {
		return this.queueAt;
	}

	/** Whether nobody has been told yet that the ticket waits. */
	boolean isNew() {
		boolean first = !this.known;
		this.known = true;
		return first;
	}

	/**
	 * Wait to be told.
	 * @return when to look even so
	 */
	Duration queued(int node, Duration lease, Duration remaining) {
		this.queueAt = node;
		this.queuedAt = node;
		this.retries = 0;
		long safety = Math.min(SAFETY_MILLIS, lease.toMillis() / 2);
		long look = Math.min(jitter(safety), Math.max(SHORTEST_LOOK_MILLIS, remaining.toMillis() + jitter(10)));
		return Duration.ofMillis(look);
	}

	/** The node that will tell this ticket, as far as is known, or -1. */
	int queuedAt() {
		return this.queuedAt;
	}

	/** It has been told, and is queued no more. */
	void woken() {
		this.queuedAt = -1;
	}

	/**
	 * The votes were split, or the lock is held elsewhere.
	 * @param heldAt where it could be queued, or -1
	 * @return when to try again
	 */
	Duration notQueued(int heldAt) {
		this.queueAt = heldAt;
		int tries = this.retries;
		this.retries = tries + 1;
		return retry(tries);
	}

	static Duration retry(int tries) {
		return Duration.ofMillis(jitter(Math.min(LAST_RETRY_MILLIS, FIRST_RETRY_MILLIS << Math.min(tries, 5))));
	}

	/** Between a half and the whole: those who split the votes must part. */
	private static long jitter(long most) {
		return ThreadLocalRandom.current().nextLong(most / 2, most + 1);
	}

}
