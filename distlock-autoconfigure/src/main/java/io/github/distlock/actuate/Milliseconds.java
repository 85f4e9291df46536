package io.github.distlock.actuate;

import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;

import org.jspecify.annotations.Nullable;

/**
 * The precision of all instants and durations that the endpoint and the health show.
 */
final class Milliseconds {

	private static final long HALF_NANOS = 500_000;

	private Milliseconds() {
	}

	static Instant of(Instant instant) {
		return instant.truncatedTo(ChronoUnit.MILLIS);
	}

	static @Nullable Instant ofNullable(@Nullable Instant instant) {
		return (instant != null) ? of(instant) : null;
	}

	static Duration of(Duration duration) {
		return duration.plusNanos(HALF_NANOS).truncatedTo(ChronoUnit.MILLIS);
	}

	static @Nullable Duration ofNullable(@Nullable Duration duration) {
		return (duration != null) ? of(duration) : null;
	}

}
