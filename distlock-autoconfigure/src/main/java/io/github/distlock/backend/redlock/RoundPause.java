package io.github.distlock.backend.redlock;

import java.time.Duration;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

import io.github.distlock.backend.TimeSource;
import org.jspecify.annotations.Nullable;

/**
 * A pause of this JVM for the locks that it has released while tickets of other JVMs were
 * waiting. Without it this JVM could take such a lock again and again, since it knows of
 * the release before the signals arrive.
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

	/** Begin a pause: a waiting ticket was signalled that the lock is free. */
	void begin(String key) {
		Long until = this.clock.nanoTime() + PAUSE.toNanos();
		this.untilNanos.put(key, until);
		try {
			this.timers.schedule(() -> this.untilNanos.remove(key, until), PAUSE.toNanos(), TimeUnit.NANOSECONDS);
		}
		catch (Throwable ex) {
			// The store is closed, or there is no thread: nothing would remove the key
			// later.
			this.untilNanos.remove(key);
		}
	}

	/**
	 * Return how long a lock must not be requested yet.
	 * @return the remaining pause, or {@code null} if there is none
	 */
	@Nullable Duration remaining(String key) {
		Long until = this.untilNanos.get(key);
		long nanos = (until != null) ? until - this.clock.nanoTime() : 0;
		return (nanos > 0) ? Duration.ofNanos(nanos) : null;
	}

}
