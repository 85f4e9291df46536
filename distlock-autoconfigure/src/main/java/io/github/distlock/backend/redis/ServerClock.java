package io.github.distlock.backend.redis;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicReference;

import io.github.distlock.backend.TimeSource;
import io.github.distlock.backend.Validity;
import org.jspecify.annotations.Nullable;

/**
 * Computes from the server time in a message how long its grant is valid. This needs a
 * baseline: a reply with the server's time, whose command was sent at a known moment. The
 * server read its clock after that moment, so the server's time now is at most that of
 * the baseline plus the time that has passed in this JVM: a deadline computed from it is
 * never too late.
 * <p>
 * This is true while the server's clock does not run slower than the clock of this JVM.
 * While it is slewed back (chrony: by 8 % at most) a deadline may be too late, but never
 * by more than the transit time of the message, since no grant is counted from a moment
 * after its arrival. The margin of a {@link Validity} covers transit times up to that
 * margin, and the renewal that confirms each grant by message ends the uncertainty.
 * <p>
 * A baseline is only valid for the server that sent it: it is dropped whenever the
 * connection may lead to another server.
 */
final class ServerClock {

	private static final long MAX_AGE_NANOS = Duration.ofSeconds(30).toNanos();

	/** In the year 2262. For a later time, or one before 1970, arithmetic overflows. */
	private static final long MAX_MICROS = Long.MAX_VALUE / 1000;

	private final AtomicReference<@Nullable Baseline> baseline = new AtomicReference<>();

	/**
	 * Use a reply as baseline if it is better than the current one.
	 * @param sent a moment before its command was sent
	 * @param serverMicros the server's time in the reply
	 */
	void observe(TimeSource.Instant sent, long serverMicros) {
		Baseline current = this.baseline.get();
		Baseline observed = new Baseline(sent, serverMicros);
		if (current == null || observed.isTighterThan(current)) {
			this.baseline.compareAndSet(current, observed);
		}
	}

	void forget() {
		this.baseline.set(null);
	}

	/**
	 * Compute the validity of a grant.
	 * @param grantedMicros the server's time of the grant
	 * @param ttl the lease of the grant, from then on
	 * @param now the present
	 * @return the validity, or {@code null} if there is no baseline for it
	 */
	@Nullable Validity judge(long grantedMicros, Duration ttl, TimeSource.Instant now) {
		Baseline current = this.baseline.get();
		if (current == null || grantedMicros < 0 || grantedMicros > MAX_MICROS) {
			return null;
		}
		long sinceBaseline = (grantedMicros - current.serverMicros) * 1000;
		long base = current.sent.nanos() + sinceBaseline;
		if (base - now.nanos() > 0) {
			// In the future: the time of another server's clock.
			return null;
		}
		// From the baseline and not from now, so that a suspension since then is
		// detected.
		long wall = current.sent.millis() + sinceBaseline / 1_000_000;
		return Validity.until(new TimeSource.Instant(base, wall), ttl);
	}

	private record Baseline(TimeSource.Instant sent, long serverMicros) {

		/** A newer baseline replaces an old one in any case, since clocks drift. */
		boolean isTighterThan(Baseline other) {
			long passedHere = this.sent.nanos() - other.sent.nanos();
			long passedThere = (this.serverMicros - other.serverMicros) * 1000;
			return passedHere >= passedThere || passedHere > MAX_AGE_NANOS;
		}

	}

}
