package io.github.distlock.backend.jdbc;

import java.time.Duration;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

import io.github.distlock.backend.TimeSource;

/**
 * The locks that this JVM has released a moment ago, with a notification for others. Its
 * own next attempt would otherwise always be the first one: it comes after the time that
 * another JVM needs to receive the notification and to send an attempt.
 */
final class RecentReleases {

	/** For two switches of threads. */
	private static final long SHORTEST_NANOS = Duration.ofMillis(5).toNanos();

	private static final long LONGEST_NANOS = Duration.ofMillis(10).toNanos();

	private final TimeSource clock;

	/** Until when attempts wait, by the key. Each entry is removed soon after that. */
	private final ConcurrentMap<String, Long> untilNanos = new ConcurrentHashMap<>();

	RecentReleases(TimeSource clock) {
		this.clock = clock;
	}

	/**
	 * Note that another JVM was notified of a release.
	 * @param sent a moment before the release was sent
	 */
	void notified(String key, TimeSource.Instant sent) {
		long now = this.clock.nanoTime();
		long roundTrips = 2 * (now - sent.nanos());
		this.untilNanos.values().removeIf((until) -> until - now <= 0);
		this.untilNanos.put(key, now + Math.min(LONGEST_NANOS, Math.max(SHORTEST_NANOS, roundTrips)));
	}

	/** Return how long an attempt has to wait, zero if it need not. */
	Duration pause(String key) {
		Long until = this.untilNanos.isEmpty() ? null : this.untilNanos.get(key);
		return (until != null) ? Duration.ofNanos(Math.max(0, until - this.clock.nanoTime())) : Duration.ZERO;
	}

}
