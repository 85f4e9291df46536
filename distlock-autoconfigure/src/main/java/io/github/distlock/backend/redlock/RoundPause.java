package io.github.distlock.backend.redlock;

import java.time.Duration;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

import io.github.distlock.backend.TimeSource;
import org.jspecify.annotations.Nullable;

/**
 * The keys whose lock this JVM has left while others were waiting: it lets them go first.
 * Whoever leaves is nearer to the lock than those who are only now told, and would
 * otherwise take it again and again.
 */
final class RoundPause {

	private static final Duration PAUSE = Duration.ofMillis(20);

	private final ConcurrentMap<String, Long> untilNanos = new ConcurrentHashMap<>();

	private final ScheduledExecutorService timers;

	private final TimeSource clock;

	RoundPause(ScheduledExecutorService timers, TimeSource clock) {
		this.timers = timers;
		this.clock = clock;
	}

	/** Somebody else was told that the lock is free. */
	void begin(String key) {
		Long until = this.clock.nanoTime() + PAUSE.toNanos();
		this.untilNanos.put(key, until);
		try {
			this.timers.schedule(() -> this.untilNanos.remove(key, until), PAUSE.toNanos(), TimeUnit.NANOSECONDS);
		}
		catch (Throwable ex) {
			// Stopped, or without a thread: nothing would remove the key later.
			this.untilNanos.remove(key);
		}
	}

	/**
	 * Return how long not to ask for a lock.
	 * @return the time, or {@code null}
	 */
	@Nullable Duration remaining(String key) {
		Long until = this.untilNanos.get(key);
		long nanos = (until != null) ? until - this.clock.nanoTime() : 0;
		return (nanos > 0) ? Duration.ofNanos(nanos) : null;
	}

}
