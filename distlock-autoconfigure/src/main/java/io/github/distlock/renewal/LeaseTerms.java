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

	/**
	 * Return how much longer the store's lease is, each time.
	 * @return the extra time
	 */
	Duration extra() {
		return this.storeLease.minus(this.lease);
	}

}
