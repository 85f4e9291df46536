package io.github.distlock.backend;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

/**
 * Until when a grant counts. Judged by this JVM's clocks alone: the deadline was computed
 * from a moment before the command was sent, so the store's lease ends later. If the wall
 * clock ran ahead of the monotonic clock by more than the margin (the machine was
 * suspended) the grant no longer counts.
 *
 * @param boundTo the session with the store as long as which it counts, and the other
 * components mean nothing; {@code null} if it counts until a moment
 * @param baseNanos monotonic time before the command was sent
 * @param baseMillis wall time at the same moment
 * @param ttlNanos what the store promised from then on
 */
public record Validity(@Nullable StoreSession boundTo, long baseNanos, long baseMillis, long ttlNanos) {

	private static final long MINIMUM_MARGIN = 5_000_000;

	/**
	 * Count until a time to live has passed.
	 * @param sent a reading of the clock before the command was sent
	 * @param ttl what the store promised
	 * @return the validity
	 */
	public static Validity until(TimeSource.Instant sent, Duration ttl) {
		return new Validity(null, sent.nanos(), sent.millis(), ttl.toNanos());
	}

	/**
	 * Count as long as a session lives. When it ends, the store asks for a renewal of
	 * what depended on it, so that the loss becomes known at once.
	 * @param session knows whether it lives
	 * @return the validity
	 */
	public static Validity session(StoreSession session) {
		return new Validity(session, 0, 0, Long.MAX_VALUE);
	}

	/**
	 * Return whether it counts as long as a session lives.
	 * @return whether there is no moment at which it ends
	 */
	public boolean sessionBound() {
		return this.boundTo != null;
	}

	/**
	 * Return what is left.
	 * @param clock the time
	 * @return nanoseconds, zero or less when the grant no longer counts
	 */
	public long remainingNanos(TimeSource clock) {
		if (this.boundTo != null) {
			return this.boundTo.isAlive() ? Long.MAX_VALUE : 0;
		}
		long elapsed = clock.nanoTime() - this.baseNanos;
		return suspended(clock, elapsed) ? 0 : this.ttlNanos - margin() - elapsed;
	}

	/**
	 * Return whether the wall clock has run ahead of the monotonic clock, so that a grant
	 * until a moment no longer counts.
	 * @param clock the time
	 * @return whether the machine was suspended
	 */
	public boolean suspended(TimeSource clock) {
		return this.boundTo == null && suspended(clock, clock.nanoTime() - this.baseNanos);
	}

	private boolean suspended(TimeSource clock, long elapsed) {
		long suspended = (clock.wallMillis() - this.baseMillis) * 1_000_000 - elapsed;
		// The wall clock has a grain of one millisecond.
		return suspended > margin() + 1_000_000;
	}

	/**
	 * Return for how long the session is certain to live if no further answer arrives
	 * from the store. It is reported to users and decides nothing: a live session extends
	 * it again and again.
	 * @return nanoseconds, zero if the session does not live for certain;
	 * {@link Long#MAX_VALUE} if there is no session, or if it knows no such time
	 */
	public long sessionNanos() {
		return (this.boundTo != null) ? Math.max(0, this.boundTo.remainingNanos()) : Long.MAX_VALUE;
	}

	/**
	 * Return whether the grant no longer counts.
	 * @param clock the time
	 * @return whether it has passed
	 */
	public boolean hasPassed(TimeSource clock) {
		return remainingNanos(clock) <= 0;
	}

	/**
	 * Return how long it counts, from the moment before the command was sent.
	 * @return nanoseconds, the margin left out; all there are if it counts as long as a
	 * session
	 */
	public long coveredNanos() {
		return (this.boundTo != null) ? Long.MAX_VALUE : this.ttlNanos - margin();
	}

	private long margin() {
		return Math.max(MINIMUM_MARGIN, this.ttlNanos / 100);
	}

}
