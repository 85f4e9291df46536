package io.github.distlock.benchmarks.workers;

import java.time.Duration;

import io.github.distlock.benchmarks.contenders.Held;
import io.github.distlock.benchmarks.contenders.Locks;
import org.jspecify.annotations.Nullable;

/**
 * One thread of a slice that tries to lock at fixed intervals, without waiting.
 */
final class Trier extends Cycler {

	private static final long INTERVAL_NANOS = Duration.ofMillis(10).toNanos();

	Trier(SliceOrder order, Locks locks, String key, @Nullable SharedCounter counter, int room) {
		super(order, locks, key, counter, room);
	}

	@Override
	void cycle(Locks from) throws Exception {
		long next = System.nanoTime() + INTERVAL_NANOS;
		Held held = from.tryLock(key(), Duration.ZERO);
		if (held != null) {
			try {
				run();
			}
			finally {
				held.release();
			}
		}
		parkUntil(next);
	}

}
