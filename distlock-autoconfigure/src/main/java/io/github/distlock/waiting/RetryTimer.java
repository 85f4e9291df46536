package io.github.distlock.waiting;

import java.time.Duration;

import io.github.distlock.LockBackendException;
import org.jspecify.annotations.Nullable;

/**
 * When a queue that waits is to ask again by itself. Messages are hints; this is what
 * makes up for those that were lost, and for the store's failures. Made when the queue
 * waits or fails for the first time, and kept: under contention it waits again and again.
 * Guarded by the queue's lock.
 */
final class RetryTimer {

	/** A grant that came too late is waited out in steps of this. */
	private static final long STALE_LOOK_NANOS = Duration.ofMillis(20).toNanos();

	/** Who does not ask looks no more often than this whether it should. */
	private static final long SHORTEST_REST_NANOS = Duration.ofMillis(200).toNanos();

	private final KeyQueueContext context;

	private final Alarm alarm;

	/** Here, since a held lock for which nobody waits has no retryTimer. */
	private final DepartingWaiters leavers = new DepartingWaiters();

	/** Until the store answers again. */
	private @Nullable Outage outage;

	private long intervalNanos;

	/** Whether the store knows nothing of the place: nobody else looks out for it. */
	private boolean alone;

	RetryTimer(KeyQueueContext context, Alarm alarm) {
		this.context = context;
		this.alarm = alarm;
	}

	/** Look after an interval that the store names, unless told sooner. */
	void after(Duration interval) {
		this.alone = false;
		this.intervalNanos = interval.toNanos();
		at(this.context.clock().nanoTime() + this.intervalNanos);
	}

	/** Look when a grant that came too late has passed in the store, too. */
	void afterStaleGrant() {
		this.alone = true;
		at(this.context.clock().nanoTime() + STALE_LOOK_NANOS);
	}

	/**
	 * A command failed: ring when it may be repeated.
	 * @return whether the store has been silent for too long
	 */
	boolean failed(LockBackendException cause) {
		Outage before = this.outage;
		Outage now = (before != null) ? before : new Outage(this.context.clock(), this.context.backendTimeout());
		this.outage = now;
		at(now.failed(cause));
		this.context.storeFailed(cause, now.isTooLong());
		return now.isTooLong();
	}

	void answered() {
		this.outage = null;
		this.context.storeAnswered();
	}

	/** The last failure, if the store has not answered since. */
	@Nullable LockBackendException failure() {
		return (this.outage != null) ? this.outage.failure() : this.context.storeFailure();
	}

	/** Callers that have given up and whose ticket had to leave the store. */
	DepartingWaiters leavers() {
		return this.leavers;
	}

	/**
	 * Make sure that a timer will fire.
	 * @return why none will although the queue needs one, or {@code null}
	 */
	@Nullable LockBackendException ensureTimer() {
		return this.alarm.ensure();
	}

	/** There is nothing to look for any more. */
	void rest() {
		this.alarm.clear();
	}

	/**
	 * A timer fired.
	 * @return whether it is time
	 */
	boolean rings() {
		return this.alarm.fired();
	}

	/**
	 * It is time. A place that hears of everything through another one of this JVM goes
	 * on waiting, unless the store owes it an answer.
	 * @return whether to attempt now
	 */
	boolean looks() {
		if (this.outage != null || this.alone || this.context.retriesForKey()) {
			return true;
		}
		at(this.context.clock().nanoTime() + Math.max(this.intervalNanos, SHORTEST_REST_NANOS));
		return false;
	}

	private void at(long nanos) {
		this.alarm.set(nanos);
	}

}
