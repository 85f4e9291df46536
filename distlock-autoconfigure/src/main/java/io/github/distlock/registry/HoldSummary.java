package io.github.distlock.registry;

import java.time.Duration;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import io.github.distlock.backend.TimeSource;
import io.github.distlock.renewal.Lease;
import io.github.distlock.waiting.KeySnapshot;
import org.jspecify.annotations.Nullable;

/**
 * The locks that a registry holds, in figures.
 *
 * @param longest for each name how long its longest lock has been held
 * @param atRisk how many locks are likely to be lost soon, since their last renewal
 * failed and less than half of their lease is left
 * @param kept how many locks are kept in the store, although no caller holds them
 */
public record HoldSummary(Map<String, Duration> longest, int atRisk, int kept) {

	/** No lock is held. */
	public static final HoldSummary EMPTY = new HoldSummary(Collections.emptyMap(), 0, 0);

	static HoldSummary of(List<Lease> leases, List<KeySnapshot> keys) {
		Map<String, Duration> longest = new HashMap<>();
		int atRisk = 0;
		for (Lease lease : leases) {
			if (lease instanceof Hold hold && hold.remainingNanos() > 0) {
				longest.merge(hold.name(), Duration.ofNanos(hold.heldNanos()),
						(one, other) -> (one.compareTo(other) > 0) ? one : other);
				if (hold.isAtRisk()) {
					atRisk++;
				}
			}
		}
		int kept = (int) keys.stream().filter((key) -> key.kept() != null).count();
		return (longest.isEmpty() && kept == 0) ? EMPTY
				: new HoldSummary(Collections.unmodifiableMap(longest), atRisk, kept);
	}

	/**
	 * The latest summary, so that many gauges which are read at the same time share it.
	 */
	static final class Latest {

		private static final long MAXIMUM_AGE_NANOS = Duration.ofSeconds(1).toNanos();

		private final TimeSource clock;

		/** Replaced as a whole; two threads may do so at the same time. */
		private volatile @Nullable Taken taken;

		Latest(TimeSource clock) {
			this.clock = clock;
		}

		HoldSummary get(@Nullable RegistryRuntime runtime) {
			if (runtime == null) {
				return EMPTY;
			}
			long now = this.clock.nanoTime();
			Taken known = this.taken;
			if (known == null || known.runtime() != runtime || now - known.atNanos() >= MAXIMUM_AGE_NANOS) {
				known = new Taken(of(runtime.heldLocks().renewer().leases(), runtime.acquirer().snapshot()), runtime,
						now);
				this.taken = known;
			}
			return known.summary();
		}

		private record Taken(HoldSummary summary, RegistryRuntime runtime, long atNanos) {
		}

	}

}
