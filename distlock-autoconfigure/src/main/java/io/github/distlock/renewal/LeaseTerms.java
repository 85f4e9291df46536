package io.github.distlock.renewal;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

/**
 * How long a lock may be held. The same for many: share it.
 *
 * @param lease how long the lock is held at a time
 * @param storeLease what is asked of the store, each time: longer, since the lock may be
 * passed on inside the JVM, and the next one has a lease of his own
 * @param renewed whether the watchdog keeps it alive; otherwise it ends after
 * {@code lease}
 * @param maxHold when the watchdog stops, from the start; {@code null} means never
 */
public record LeaseTerms(Duration lease, Duration storeLease, boolean renewed, @Nullable Duration maxHold) {

	/** So short that it has passed, by any margin, when it is granted. */
	private static final Duration SHORTEST = Duration.ofMillis(1);

	/**
	 * Return what is left of them after a time, for a lock that is no longer passed on
	 * inside the JVM.
	 * @param held how long the lock has been held
	 * @return the same watched lease, or the rest of an explicit one
	 */
	LeaseTerms after(Duration held) {
		if (this.renewed) {
			return new LeaseTerms(this.lease, this.lease, true,
					(this.maxHold != null) ? this.maxHold.minus(held) : null);
		}
		Duration rest = this.lease.minus(held);
		Duration some = (rest.compareTo(SHORTEST) > 0) ? rest : SHORTEST;
		return new LeaseTerms(some, some, false, null);
	}

	/** Return the terms of one who no longer wants his lease renewed. */
	LeaseTerms expiring(Duration time) {
		return new LeaseTerms(time, time.plus(extra()), false, null);
	}

	/**
	 * Return how much longer the store's lease is, each time.
	 * @return the extra time
	 */
	Duration extra() {
		return this.storeLease.minus(this.lease);
	}

}
