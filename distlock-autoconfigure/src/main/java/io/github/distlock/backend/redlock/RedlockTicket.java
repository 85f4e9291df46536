package io.github.distlock.backend.redlock;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;

import io.github.distlock.backend.Grant;
import io.github.distlock.backend.Validity;
import org.jspecify.annotations.Nullable;

/**
 * A ticket of this JVM that waits or holds: where it is queued, and the round that it has
 * won. Commands of one ticket do not overlap, but are sent by different threads.
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

	private volatile @Nullable WonRound wonRound;

	/** The undoing of the last round that was not won. */
	private volatile @Nullable RoundRelease undone;

	private volatile int queueAt = -1;

	/** The node in whose queue it is, as far as is known, or -1. */
	private volatile int queuedAt = -1;

	private volatile int retries;

	/** Whether an answer has said that the ticket waits. */
	private volatile boolean reported;

	@Nullable WonRound wonRound() {
		return this.wonRound;
	}

	void holds(@Nullable WonRound won) {
		this.wonRound = won;
	}

	@Nullable RoundRelease undone() {
		return this.undone;
	}

	void undoes(RoundRelease release) {
		this.undone = release;
	}

	/** The node that will be requested to queue the ticket, or -1. */
	int queueAt() {
		return this.queueAt;
	}

	/**
	 * Record that an answer says that the ticket waits.
	 * @return whether this is the first such answer
	 */
	boolean reportWaiting() {
		boolean first = !this.reported;
		this.reported = true;
		return first;
	}

	/**
	 * Wait for a signal of a node.
	 * @return when to try again without a signal
	 */
	Duration queued(int node, Duration lease, Duration remaining, RandomGenerator random) {
		this.queueAt = node;
		this.queuedAt = node;
		this.retries = 0;
		long safety = Math.min(SAFETY_MILLIS, lease.toMillis() / 2);
		long delay = Math.min(jitter(safety, random),
				Math.max(MIN_CHECK_MILLIS, remaining.toMillis() + jitter(10, random)));
		return Duration.ofMillis(delay);
	}

	/** The node that will signal this ticket, as far as is known, or -1. */
	int queuedAt() {
		return this.queuedAt;
	}

	/** It has been signalled, and is no longer queued. */
	void woken() {
		this.queuedAt = -1;
	}

	/**
	 * Wait without a place in a queue: the votes were split, or the lock is held at other
	 * nodes.
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

	/**
	 * A round that was won: the ticket holds the lock, and releases it once.
	 */
	static final class WonRound {

		private final LockRound round;

		private final long firstToken;

		private final long lastToken;

		private volatile Validity validity;

		private volatile Duration lease;

		private final AtomicReference<@Nullable RoundRelease> release = new AtomicReference<>();

		WonRound(LockRound round, long firstToken, long lastToken, Validity validity) {
			this.round = round;
			this.firstToken = firstToken;
			this.lastToken = lastToken;
			this.validity = validity;
			this.lease = round.lease();
		}

		LockRound round() {
			return this.round;
		}

		Grant grant() {
			return new Grant(this.firstToken, this.lastToken, this.validity);
		}

		void renewed(Validity until, Duration newLease) {
			this.validity = until;
			if (newLease.compareTo(this.lease) > 0) {
				this.lease = newLease;
			}
		}

		/** How long a node may hold the claim from now on. */
		Duration lease() {
			return this.lease;
		}

		/** The last token that was used, as far as is known. */
		long usedToken(long claimed) {
			return (claimed >= this.firstToken && claimed <= this.lastToken) ? claimed : this.lastToken;
		}

		boolean isReleasing() {
			return this.release.get() != null;
		}

		/** Begin the release, once: a repeated call gets the release that was begun. */
		RoundRelease release(Supplier<RoundRelease> prepared) {
			RoundRelease begun = this.release.get();
			if (begun == null) {
				RoundRelease own = prepared.get();
				begun = this.release.compareAndSet(null, own) ? own.begin() : this.release.get();
			}
			if (begun == null) {
				throw new IllegalStateException("The release was not begun");
			}
			return begun;
		}

	}

}
