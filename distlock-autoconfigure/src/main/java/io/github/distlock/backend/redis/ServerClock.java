package io.github.distlock.backend.redis;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicReference;

import io.github.distlock.backend.TimeSource;
import io.github.distlock.backend.Validity;
import org.jspecify.annotations.Nullable;

/**
 * Judges by the server time in a message until when its grant counts. Needs a baseline: a
 * reply whose command was sent at a known moment and which carried the server's time. The
 * server read its clock after that moment, so the server's time now is at most the
 * baseline's plus what has passed here: a deadline computed from it is never too late.
 * <p>
 * This holds while the server's clock does not run slower than this one. While it is
 * slewed back (chrony: by 8 % at most) a deadline may be late, but never by more than the
 * time for which the message was on its way, since no grant counts from a moment after
 * its arrival. The margin of a {@link Validity} covers delays up to that margin, and the
 * renewal that confirms each grant by message ends the uncertainty.
 * <p>
 * The baseline is only good for the server it came from: it is dropped whenever the
 * connection may lead to another one.
 */
final class ServerClock {

	private static final long MAX_AGE_NANOS = Duration.ofSeconds(30).toNanos();

	private final AtomicReference<@Nullable Baseline> baseline = new AtomicReference<>();

	/**
	 * Learn from a reply.
	 * @param sent a moment before its command was sent
	 * @param serverMicros the server's time in it
	 */
	void observe(TimeSource.Instant sent, long serverMicros) {
		Baseline known = this.baseline.get();
		Baseline seen = new Baseline(sent, serverMicros);
		if (known == null || seen.isTighterThan(known)) {
			this.baseline.compareAndSet(known, seen);
		}
	}

	void forget() {
		this.baseline.set(null);
	}

	/**
	 * Judge a grant.
	 * @param grantedMicros the server's time when it granted
	 * @param ttl how long the grant lasts from then on
	 * @param now this moment
	 * @return until when it counts, or {@code null} if that cannot be judged
	 */
	@Nullable Validity judge(long grantedMicros, Duration ttl, TimeSource.Instant now) {
		Baseline known = this.baseline.get();
		if (known == null) {
			return null;
		}
		long sinceBaseline = (grantedMicros - known.serverMicros) * 1000;
		long base = known.sent.nanos() + sinceBaseline;
		if (base - now.nanos() > 0) {
			// Dated in the future: another server's clock.
			return null;
		}
		// From the baseline and not from now: a suspension in between must show.
		long wall = known.sent.millis() + sinceBaseline / 1_000_000;
		return Validity.until(new TimeSource.Instant(base, wall), ttl);
	}

	private record Baseline(TimeSource.Instant sent, long serverMicros) {

		/** A newer one wins when the old one is old: clocks drift. */
		boolean isTighterThan(Baseline other) {
			long passedHere = this.sent.nanos() - other.sent.nanos();
			long passedThere = (this.serverMicros - other.serverMicros) * 1000;
			return passedHere >= passedThere || passedHere > MAX_AGE_NANOS;
		}

	}

}
