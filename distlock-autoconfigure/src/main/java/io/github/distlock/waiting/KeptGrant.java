package io.github.distlock.waiting;

import java.time.Duration;

import io.github.distlock.HandOff;
import io.github.distlock.backend.TimeSource;
import io.github.distlock.backend.Validity;
import org.jspecify.annotations.Nullable;

/**
 * A lock that this JVM keeps in the store for a moment although its last holder has left,
 * so that the next caller enters without a command. To the store it is an ordinary grant,
 * and nothing renews it. This class has the rules for what a grant must fulfil; the
 * {@link KeyQueue} has those for the moment.
 *
 * @param last the holder that left last
 * @param validity the validity of the grant when that holder left
 * @param sinceNanos when it left
 * @param endNanos when the lock goes back unless a caller has entered
 * @param release the release that follows if no caller enters
 */
record KeptGrant(Holder last, Validity validity, long sinceNanos, long endNanos, BackgroundRelease release) {

	/**
	 * How long after the grant of the store a caller may enter. It bounds how long the
	 * waiters of a JVM that cannot ask for the lock, or whose requests are lost, wait for
	 * this one.
	 */
	private static final long MAX_TURN_NANOS = Duration.ofSeconds(1).toNanos();

	/**
	 * Keep a grant: until its keep time or the turn of this JVM has passed, or too little
	 * of the lease is left, whichever is first. Later no caller could enter, and others
	 * would wait in vain.
	 * @param leaving the holder that leaves
	 * @param validity the current validity of the grant
	 * @return the kept grant, or {@code null} if no caller could enter
	 */
	static @Nullable KeptGrant keep(Holder leaving, Validity validity, TimeSource clock, BackgroundRelease release) {
		if (!isUsable(leaving, validity, clock)) {
			return null;
		}
		long now = clock.nanoTime();
		long turnNanos = leaving.grantedAtNanos() + MAX_TURN_NANOS - now;
		long leaseNanos = validity.remainingNanos(clock) - HandOffLimits.sufficientNanos(leaving);
		long nanos = Math.min(leaving.keepNanos(), Math.min(turnNanos, leaseNanos));
		return (nanos > 0) ? new KeptGrant(leaving, validity, now, now + nanos, release) : null;
	}

	/**
	 * Whether a caller with the same lease may enter under a grant while no request of
	 * another JVM has come: the store has marked it, it has another token, the time of
	 * this JVM has not passed, and enough of the lease is left.
	 * @param from the holder that leaves, or left last
	 */
	static boolean isUsable(Holder from, Validity validity, TimeSource clock) {
		return from.isKeepable() && from.fencingToken() < from.lastToken()
				&& clock.nanoTime() - from.grantedAtNanos() < MAX_TURN_NANOS
				&& HandOffLimits.isSufficient(validity, from, clock);
	}

	/** Whether a caller may enter. Otherwise the lock has to be released first. */
	boolean admits(WaitRequest request, TimeSource clock) {
		return HandOffLimits.suits(this.last, request) && isUsable(this.last, this.validity, clock);
	}

	/** Create the holder that enters. */
	Holder enter(WaitRequest request) {
		return this.last.next(this.validity, HandOff.KEPT, request);
	}

	KeySnapshot.Kept snapshot(TimeSource clock) {
		return new KeySnapshot.Kept(this.last.fencingToken(), this.last.grantToken(),
				clock.nanoTime() - this.sinceNanos);
	}

	/**
	 * Until when its release is repeated. A renewal that is still on its way may give the
	 * lease its whole length again.
	 */
	long giveUpNanos(TimeSource clock) {
		return clock.nanoTime() + Math.max(this.validity.remainingNanos(clock), this.last.lease().toNanos());
	}

}
