package io.github.distlock.backend;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

/**
 * How long a grant is valid: until a deadline, or as long as a session. A deadline is
 * compared with the clocks of this JVM only. It is computed from a moment before the
 * command was sent, so the lease in the store ends later. If the wall clock ran ahead of
 * the monotonic clock by more than the margin, the machine was suspended and the grant is
 * no longer valid.
 *
 * @param boundTo the session that limits the validity, and then the other components mean
 * nothing; {@code null} if there is a deadline
 * @param baseNanos monotonic time before the command was sent
 * @param baseMillis wall time at the same moment
 * @param ttlNanos the time to live in the store, from that moment
 */
public record Validity(@Nullable StoreSession boundTo, long baseNanos, long baseMillis, long ttlNanos) {

	private static final long MINIMUM_MARGIN = 5_000_000;

	/**
	 * Return a validity that ends when a time to live has passed.
	 * @param sent a reading of the clock before the command was sent
	 * @param ttl the time to live in the store
	 * @return the validity
	 */
	public static Validity until(TimeSource.Instant sent, Duration ttl) {
		return new Validity(null, sent.nanos(), sent.millis(), ttl.toNanos());
	}

	/**
	 * Return a validity that lasts as long as a session. When the session ends, the store
	 * signals that the leases that depended on it should be renewed, so that the loss is
	 * detected at once.
	 * @param session the session
	 * @return the validity
	 */
	public static Validity session(StoreSession session) {
		return new Validity(session, 0, 0, Long.MAX_VALUE);
	}

	/**
	 * Return whether the validity lasts as long as a session.
	 * @return whether there is a session instead of a deadline
	 */
	public boolean sessionBound() {
		return this.boundTo != null;
	}

	/**
	 * Return the remaining time.
	 * @param clock the time
	 * @return nanoseconds, zero or less if the grant is no longer valid
	 */
	public long remainingNanos(TimeSource clock) {
		// In this order: a pause of this thread between the two readings does not look
		// like a suspended machine.
		long wallMillis = clock.wallMillis();
		long nowNanos = clock.nanoTime();
		return suspended(wallMillis, nowNanos) ? 0 : remainingNanosAt(nowNanos);
	}

	/**
	 * Return the remaining time at a moment on the monotonic clock. Reads no clock and so
	 * does not find that the machine was suspended: for timers, and for a grant that has
	 * just arrived, not to decide later whether a lock is held.
	 * @param nowNanos a reading of the monotonic clock
	 * @return nanoseconds, zero or less if the grant was no longer valid
	 */
	public long remainingNanosAt(long nowNanos) {
		if (this.boundTo != null) {
			return (this.boundTo.remainingNanos() > 0) ? Long.MAX_VALUE : 0;
		}
		return coveredNanos() - (nowNanos - this.baseNanos);
	}

	/**
	 * Return whether the wall clock has run ahead of the monotonic clock, so that a grant
	 * with a deadline is no longer valid.
	 * @param clock the time
	 * @return whether the machine was suspended
	 */
	public boolean suspended(TimeSource clock) {
		return suspended(clock.wallMillis(), clock.nanoTime());
	}

	private boolean suspended(long wallMillis, long nowNanos) {
		long suspended = (wallMillis - this.baseMillis) * 1_000_000 - (nowNanos - this.baseNanos);
		// The resolution of the wall clock is one millisecond.
		return this.boundTo == null && suspended > margin() + 1_000_000;
	}

	/**
	 * Return how long the session is certain to stay alive if no further answer arrives
	 * from the store. For reports only: a live session extends it again and again.
	 * @return nanoseconds, zero if the session is not certain to be alive;
	 * {@link Long#MAX_VALUE} if there is no session, or if it has no such limit
	 */
	public long sessionNanos() {
		return (this.boundTo != null) ? Math.max(0, this.boundTo.remainingNanos()) : Long.MAX_VALUE;
	}

	/**
	 * Return whether the grant is no longer valid.
	 * @param clock the time
	 * @return whether it has passed
	 */
	public boolean hasPassed(TimeSource clock) {
		return remainingNanos(clock) <= 0;
	}

	/**
	 * Return how long the grant is valid, from the moment before the command was sent.
	 * @return nanoseconds without the margin; {@link Long#MAX_VALUE} if the validity
	 * lasts as long as a session
	 */
	public long coveredNanos() {
		return (this.boundTo != null) ? Long.MAX_VALUE : this.ttlNanos - margin();
	}

	private long margin() {
		return Math.max(MINIMUM_MARGIN, this.ttlNanos / 100);
	}

}
