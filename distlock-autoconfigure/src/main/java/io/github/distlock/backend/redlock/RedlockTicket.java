package io.github.distlock.backend.redlock;

import java.time.Duration;
import java.util.random.RandomGenerator;

import org.jspecify.annotations.Nullable;

/**
 * A ticket of this JVM that waits or holds. Commands of one ticket do not overlap, but
 * are sent by different threads.
 */
final class RedlockTicket {

	/**
	 * Longest time until a queued ticket tries again. The node that has it in its queue
	 * signals it; this is for signals that were lost, and for other nodes.
	 */
	private static final long SAFETY_MILLIS = 1000;

	/** A ticket that is queued nowhere tries again, less often each time. */
	private static final long MIN_RETRY_MILLIS = 15;

	private static final long MAX_RETRY_MILLIS = 250;

	/** Shortest time until a ticket checks whether the lease of the holder has ended. */
	private static final long MIN_CHECK_MILLIS = 20;

	/** The round that it has won, which may be being released. */
	volatile @Nullable LockRound won;

	/** The node that is requested to queue it, or -1. */
	volatile int queueAt = -1;

	/** The node in whose queue it is, as far as is known, or -1. */
	volatile int queuedAt = -1;

	/** Whether an answer has said that the ticket waits. */
	volatile boolean reported;

	private volatile int retries;

	/**
	 * It waits for a signal of a node.
	 * @return when to try again without a signal
	 */
	Duration queued(Duration lease, Duration remaining, RandomGenerator random) {
		this.queuedAt = this.queueAt;
		this.retries = 0;
		return Duration.ofMillis(Math.min(jitter(Math.min(SAFETY_MILLIS, lease.toMillis() / 2), random),
				Math.max(MIN_CHECK_MILLIS, remaining.toMillis() + jitter(10, random))));
	}

	/**
	 * It waits without a place in a queue: the votes were split, or the lock is held at
	 * other nodes.
	 * @param heldAt a node at which it could be queued, or -1
	 * @return when to try again
	 */
	Duration notQueued(int heldAt, RandomGenerator random) {
		this.queueAt = heldAt;
		int tries = this.retries;
		this.retries = tries + 1;
		return retryDelay(tries, random);
	}

	static Duration retryDelay(int tries, RandomGenerator random) {
		return Duration.ofMillis(jitter(Math.min(MAX_RETRY_MILLIS, MIN_RETRY_MILLIS << Math.min(tries, 5)), random));
	}

	/**
	 * Between a half and the whole, so that tickets that split the votes try at different
	 * times.
	 */
	private static long jitter(long most, RandomGenerator random) {
		return random.nextLong(most / 2, most + 1);
	}

}
