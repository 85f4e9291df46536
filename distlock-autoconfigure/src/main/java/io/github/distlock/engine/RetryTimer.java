package io.github.distlock.engine;

import java.time.Duration;

import io.github.distlock.LockBackendException;
import org.jspecify.annotations.Nullable;

/**
 * Decides when a key state sends its command again without having been notified. Messages
 * of the store are hints; the timer makes up for lost messages and for failures of the
 * store. Created when the key waits or fails for the first time, and kept, since under
 * contention it waits again and again. Guarded by the lock of the {@link KeyState}.
 */
final class RetryTimer {

	/** Interval between attempts after a grant that had expired on arrival. */
	private static final long STALE_GRANT_RETRY_NANOS = Duration.ofMillis(20).toNanos();

	/**
	 * Minimum interval between checks of a ticket that relies on another ticket's
	 * retries.
	 */
	private static final long MINIMUM_CHECK_NANOS = Duration.ofMillis(200).toNanos();

	private final KeyContext context;

	private final KeyState state;

	/** The failures since the last answer of the store. */
	private @Nullable Outage outage;

	private long intervalNanos;

	/**
	 * Whether the store does not know the queued ticket, so that no other ticket retries
	 * for it.
	 */
	private boolean unknownToStore;

	/** Whether a retry is to come, and when. */
	private boolean set;

	private long atNanos;

	/**
	 * Whether a timer will fire, and when. To set a later time costs nothing: the timer
	 * that is scheduled fires too early, and is scheduled again.
	 */
	private boolean scheduled;

	private long scheduledForNanos;

	RetryTimer(KeyContext context, KeyState state) {
		this.context = context;
		this.state = state;
	}

	/** Retry after an interval that the store names, unless notified sooner. */
	void retryAfter(Duration interval) {
		this.unknownToStore = false;
		this.intervalNanos = interval.toNanos();
		setWithin(this.intervalNanos);
	}

	/** Retry when a grant that expired on arrival has expired in the store, too. */
	void retryAfterStaleGrant() {
		this.unknownToStore = true;
		setWithin(STALE_GRANT_RETRY_NANOS);
	}

	/**
	 * A command failed: fire when it may be repeated.
	 * @return whether the store has not answered for too long
	 */
	boolean failed(LockBackendException cause) {
		Outage before = this.outage;
		Outage now = (before != null) ? before : new Outage(this.context);
		this.outage = now;
		setWithin(now.failed(cause));
		this.context.storeFailed(cause, now.isTooLong());
		return now.isTooLong();
	}

	void storeAnswered() {
		this.outage = null;
		this.context.storeAnswered();
	}

	/** The last failure, if the store has not answered since. */
	@Nullable LockBackendException failure() {
		return (this.outage != null) ? this.outage.failure() : this.context.storeFailure();
	}

	/** How long ago the first failure was, if the store has not answered since. */
	long unansweredNanos() {
		return (this.outage != null) ? this.outage.lastingNanos() : 0;
	}

	/**
	 * Whether a retry is to come, and a timer fires in time for it. If the timers refused
	 * that one, a sweep takes its place.
	 */
	boolean firesInTime() {
		long late = this.scheduledForNanos - this.atNanos;
		return this.set && (this.scheduled ? late <= 0 : late == 0);
	}

	/** There is nothing to retry. */
	void clear() {
		this.set = false;
	}

	/**
	 * A timer fired.
	 * @return whether a retry is due
	 */
	boolean timerFired() {
		long now = this.context.settings().clock().nanoTime();
		if (this.scheduled && now - this.scheduledForNanos >= 0) {
			this.scheduled = false;
		}
		if (!this.set) {
			return false;
		}
		if (now - this.atNanos >= 0) {
			this.set = false;
			return true;
		}
		if (!this.scheduled) {
			schedule();
		}
		return false;
	}

	private void setWithin(long nanos) {
		this.set = true;
		this.atNanos = this.context.settings().clock().nanoTime() + nanos;
		if (!this.scheduled || this.atNanos - this.scheduledForNanos < 0) {
			schedule();
		}
	}

	private void schedule() {
		// A timer that fires meanwhile waits for the lock of the key state. If this
		// throws, no timer is scheduled, and the sweep takes its place.
		this.scheduled = false;
		this.scheduledForNanos = this.atNanos;
		this.scheduled = this.context.scheduleTimer(this.state,
				Math.max(0, this.atNanos - this.context.settings().clock().nanoTime()));
	}

	/**
	 * A retry is due. A ticket that relies on another ticket of this JVM defers it,
	 * unless an answer is outstanding.
	 * @return whether to attempt now
	 */
	boolean attemptOrDefer() {
		if (this.outage != null || this.unknownToStore || this.context.retriesForKey()) {
			return true;
		}
		setWithin(Math.max(this.intervalNanos, MINIMUM_CHECK_NANOS));
		return false;
	}

	/**
	 * Consecutive failures of the store, as one key sees them: from the first failure
	 * until the store answers again.
	 */
	private static final class Outage {

		private static final long FIRST_RETRY_MILLIS = 25;

		private static final long LAST_RETRY_MILLIS = 500;

		private static final int MAX_DOUBLINGS = 10;

		private final KeyContext context;

		/**
		 * The time of the first failure, and not of the last answer: perhaps no command
		 * was sent for a long time in between.
		 */
		private final long sinceNanos;

		private @Nullable LockBackendException last;

		private int failures;

		Outage(KeyContext context) {
			this.context = context;
			this.sinceNanos = context.settings().clock().nanoTime();
		}

		/**
		 * A command failed.
		 * @return after how many nanoseconds to repeat it: soon, then less often, and at
		 * a random time, so that not all JVMs do it at once
		 */
		long failed(LockBackendException cause) {
			this.last = cause;
			this.failures++;
			long most = Math.min(LAST_RETRY_MILLIS, FIRST_RETRY_MILLIS << Math.min(this.failures, MAX_DOUBLINGS));
			return Duration.ofMillis(this.context.settings().random().nextLong(most / 2, most + 1)).toNanos();
		}

		/** Whether the store has not answered for too long. */
		boolean isTooLong() {
			return lastingNanos() >= this.context.settings().backendTimeout().toNanos();
		}

		long lastingNanos() {
			return this.context.settings().clock().nanoTime() - this.sinceNanos;
		}

		@Nullable LockBackendException failure() {
			return this.last;
		}

	}

}
